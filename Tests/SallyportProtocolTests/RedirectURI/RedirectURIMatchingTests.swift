import SallyportProtocol
import Testing

struct RedirectURIMatchingTests {
  @Test(
    "S-06: an http URI with a loopback IP literal matches on any port, regardless of the registered port",
    arguments: [
      ("http://127.0.0.1/cb", "http://127.0.0.1/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"),
      ("http://127.0.0.1:8080/cb", "http://127.0.0.1:8081/cb"), ("http://127.0.0.1:8080/cb", "http://127.0.0.1/cb"),
      ("http://[::1]/cb", "http://[::1]:61023/cb"), ("http://[::1]:1/cb", "http://[::1]:65535/cb"),
      ("http://127.0.0.1/cb?a=b", "http://127.0.0.1:7/cb?a=b"), ("http://127.0.0.1", "http://127.0.0.1:7"),
    ])
  func anyPort(registered: String, requested: String) throws {
    #expect(try RedirectURI(registered).matches(requested: RedirectURI(requested)))
  }

  @Test(
    "S-06, S-07, S-08: URIs that differ in anything but the port of an http URI with a loopback IP literal do not match",
    arguments: [
      // Loopback: the address, path, and query must be identical.
      ("http://127.0.0.1/cb", "http://[::1]/cb"), ("http://[::1]/cb", "http://127.0.0.1/cb"),
      ("http://127.0.0.1/cb", "http://127.0.0.1/cb/"), ("http://127.0.0.1/cb", "http://127.0.0.1/CB"),
      ("http://127.0.0.1/cb", "http://127.0.0.1/c%62"), ("http://127.0.0.1/cb", "http://127.0.0.1//cb"),
      ("http://127.0.0.1/cb", "http://127.0.0.1/cb%2F"), ("http://127.0.0.1/cb", "http://127.0.0.1/cb;x"),
      ("http://127.0.0.1/cb", "http://127.0.0.1/"), ("http://127.0.0.1/cb", "http://127.0.0.1/cb/x"),
      ("http://127.0.0.1/cb", "http://127.0.0.1/cb?"), ("http://127.0.0.1/cb", "http://127.0.0.1/cb?x=1"),
      ("http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb"), ("http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb?x=2"),
      ("http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb?x=1&y=2"), ("http://127.0.0.1/a%2Fb", "http://127.0.0.1/a/b"),
      ("http://127.0.0.1/a%2Fb", "http://127.0.0.1/a%2fb"), ("http://127.0.0.1", "http://127.0.0.1/"),
      ("http://127.0.0.1/cb", "https://127.0.0.1/cb"), ("https://127.0.0.1/cb", "http://127.0.0.1/cb"),
      ("https://127.0.0.1/cb", "https://127.0.0.1:8080/cb"),
      // For localhost, the port must also be identical, and the name never matches an IP literal.
      ("http://localhost:8080/cb", "http://localhost:8081/cb"), ("http://localhost/cb", "http://localhost:8080/cb"),
      ("http://localhost:8080/cb", "http://localhost/cb"), ("http://localhost/cb", "http://127.0.0.1/cb"),
      ("http://127.0.0.1/cb", "http://localhost/cb"), ("http://[::1]/cb", "http://localhost/cb"),
      // https URIs.
      ("https://app.example/cb", "https://app.example:443/cb"), ("https://app.example:443/cb", "https://app.example/cb"),
      ("https://app.example/cb", "https://app.example:8443/cb"), ("https://app.example/cb", "https://app.example/cb/"),
      ("https://app.example/cb", "https://App.example/cb"), ("https://app.example/cb", "https://app.example/cb?x"),
      ("https://app.example/cb", "https://app.example.evil.example/cb"), ("https://app.example/cb", "https://evil.example/cb"),
      ("https://app.example", "https://app.example/"), ("https://app.example/~a", "https://app.example/%7Ea"),
      // Private-use URIs, for which the case of the scheme also matters.
      ("com.example.app:/cb", "com.example.app:/cb/x"), ("com.example.app:/cb", "com.example.APP:/cb"),
      ("com.example.app:/cb", "com.example.app2:/cb"), ("com.example.app:/cb", "com.example.app:/cb?x=1"),
    ])
  func nearMisses(registered: String, requested: String) throws {
    #expect(try !RedirectURI(registered).matches(requested: RedirectURI(requested)))
  }

  @Test(
    "S-07, S-08: identical text matches",
    arguments: [
      "http://localhost:8080/cb", "https://app.example/cb?x=1", "com.example.app:/cb", "http://[::1]:80/",
    ])
  func identical(text: String) throws {
    #expect(try RedirectURI(text).matches(requested: RedirectURI(text)))
  }
}
