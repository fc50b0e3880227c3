import SallyportProtocol
import Testing

struct EndpointURLTests {
  @Test(
    "C-23, C-25: https is accepted for any valid host, and http only on loopback",
    arguments: [
      "https://id.example", "https://id.example/", "https://id.example:8443/authorize?tenant=1", "https://127.0.0.1/",
      "https://[::1]:9/x",
      "https://[2001:db8::8a2e:370:7334]/", "https://xn--bcher-kva.example/", "https://a_b.example/",
      "https://id.example/%7E/@;=+,!$&'()*",
      "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost:8080/authorize",
    ])
  func accepted(text: String) throws {
    #expect(try EndpointURL(text).value == text)
  }

  @Test(
    "C-23, C-25: malformed and insecure URLs are rejected",
    arguments: [
      ("", .malformed), ("id.example", .malformed), ("/authorize", .malformed), ("//id.example", .malformed),
      ("-flag", .malformed),
      ("--help", .malformed), ("https:", .malformed), ("https://", .malformed), ("https:///x", .malformed),
      ("https:id.example", .malformed),
      ("file:///etc/passwd", .malformed), ("file://host/x", .scheme), ("javascript:alert(1)", .malformed),
      ("data:,x", .malformed),
      ("javascript://x/%0aalert(1)", .scheme), ("ftp://id.example/", .scheme), ("ws://id.example/", .scheme),
      ("HTTPS://x.example/", .scheme),
      ("Http://localhost/", .scheme), ("com.example.app://x/", .scheme), ("http://id.example/", .plainHTTP),
      ("http://127.0.0.2/", .plainHTTP),
      ("http://127.1/", .plainHTTP), ("http://2130706433/", .plainHTTP), ("http://[::ffff:127.0.0.1]/", .malformed),
      ("http://0.0.0.0/", .plainHTTP), ("http://[::]/", .plainHTTP), ("http://localhost.evil/", .plainHTTP),
      ("http://LOCALHOST/", .plainHTTP),
      ("http://localhost./", .malformed), ("https://u@id.example/", .userInfo), ("https://u:p@id.example/", .userInfo),
      ("https://id.example@evil.example/", .userInfo), ("https://@id.example/", .userInfo), ("https://id.example/#", .fragment),
      ("https://id.example#x", .fragment), ("https://id.example /", .malformed), ("https://id.example/\n", .malformed),
      ("https://id.example/'\"", .malformed), ("https://id.example/\u{1B}[2J", .malformed),
      ("https://id.example/$(id)\\", .malformed),
      ("https://-id.example/", .malformed), ("https://id-.example/", .malformed), ("https://id..example/", .malformed),
      ("https://.example/", .malformed), ("https://id.example./", .malformed), ("https://id.example:0/", .malformed),
      ("https://id.example:65536/", .malformed), ("https://id.example:/", .malformed), ("https://id.example:443x/", .malformed),
      ("https://id.exa%6Dple/", .malformed), ("https://$(id)/", .malformed), ("https://a;b/", .malformed),
      ("https://~/", .malformed),
      ("https://[::1/", .malformed), ("https://[]/", .malformed), ("https://[1]/", .malformed),
      ("https://[1::2::3]/", .malformed),
      ("https://[:::]/", .malformed), ("https://[1:2:3:4:5:6:7:8:9]/", .malformed), ("https://[1:2:3:4:5:6:7]/", .malformed),
      ("https://[12345::]/", .malformed), ("https://[:1:2:3:4:5:6:7]/", .malformed), ("https://[::1.2.3.4]/", .malformed),
      ("https://[fe80::1%25eth0]/", .malformed), ("https://é.example/", .malformed), ("https://id。example/", .malformed),
    ] as [(String, EndpointURLError)])
  func refused(text: String, error: EndpointURLError) {
    #expect(throws: error) { try EndpointURL(text) }
  }

  @Test("C-25: parameters are encoded and appended to the endpoint's own query (RFC 6749 §3.1)")
  func appending() throws {
    let parameters = [(name: "state", value: "a&b=c d\n'\"")]
    let encoded = "state=a%26b%3Dc%20d%0A%27%22"
    #expect(try EndpointURL("https://id.example/a").appending(query: parameters) == "https://id.example/a?\(encoded)")
    #expect(try EndpointURL("https://id.example/a?").appending(query: parameters) == "https://id.example/a?\(encoded)")
    #expect(try EndpointURL("https://id.example/a?x=1").appending(query: parameters) == "https://id.example/a?x=1&\(encoded)")
  }
}
