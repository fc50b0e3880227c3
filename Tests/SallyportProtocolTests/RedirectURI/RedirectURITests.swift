import SallyportProtocol
import Testing

struct RedirectURITests {
  @Test(
    "S-09, C-06, C-07: all kinds of redirect URIs of RFC 8252 §7 and appendix B.3 are accepted and kept byte for byte",
    arguments: [
      ("https://app.example/cb", .https), ("https://app.example", .https), ("https://app.example:8443/cb?x=1", .https),
      ("https://[2001:db8::1]/cb", .https), ("http://127.0.0.1/cb", .loopback(.ipv4)), ("http://127.0.0.1", .loopback(.ipv4)),
      ("http://127.0.0.1:51004/oauth2redirect/example-provider", .loopback(.ipv4)), ("http://[::1]:61023/cb", .loopback(.ipv6)),
      ("http://[::1]", .loopback(.ipv6)), ("http://127.0.0.1:1/", .loopback(.ipv4)),
      ("http://127.0.0.1:65535/", .loopback(.ipv4)),
      ("http://localhost:8080/cb", .loopback(.localhost)), ("com.example.app:/oauth2redirect/example-provider", .privateUse),
      ("com.example.app:/", .privateUse), ("COM.Example.App:/x", .privateUse), ("com.1and1.app-2:/x?y=z", .privateUse),
      ("msapp://s-1-15-2-123456789-1/", .privateUse),
    ] as [(String, RedirectURI.Kind)])
  func accepted(text: String, kind: RedirectURI.Kind) throws {
    let uri = try RedirectURI(text)
    #expect(uri.kind == kind)
    #expect(uri.value == text)
    #expect(uri.description == text)
  }

  static let hostile: [(String, RedirectURIError)] = [
    // Not absolute URIs.
    ("", .malformed), ("/cb", .malformed), ("//app.example/cb", .malformed), ("app.example/cb", .malformed), ("*", .malformed),
    (" https://app.example/cb", .malformed), ("https://app.example/cb ", .malformed), ("https://app.example/a b", .malformed),
    ("https://app.example/cb\n", .malformed), ("https://app.example/\r\nX: y", .malformed),
    ("https://app.example/\u{0}", .malformed),
    ("https://app.example/é", .malformed), ("https://аpp.example/", .malformed), ("https://app.example/<x>", .malformed),
    ("https://app.example/\"", .malformed), ("https://app.example/{x}", .malformed), ("https://app.example/^", .malformed),
    ("https://app.example/a|b", .malformed), ("https://app.example/`id`", .malformed),
    // Backslashes, which browsers treat as slashes.
    ("https://app.example\\@evil.example/", .malformed), ("https:\\\\app.example/cb", .malformed),
    ("http://127.0.0.1\\cb", .malformed),
    // Invalid percent-encoding.
    ("https://app.example/%", .malformed), ("https://app.example/%2", .malformed), ("https://app.example/%zz", .malformed),
    // Fragment.
    ("https://app.example/cb#", .fragment), ("https://app.example/cb#x", .fragment), ("http://127.0.0.1/cb#x", .fragment),
    ("com.example.app:/cb#x", .fragment), ("https://app.example#@evil.example/", .fragment),
    // User information, more than one @, and an encoded @.
    ("https://user@app.example/cb", .userInfo), ("https://app.example@evil.example/cb", .userInfo),
    ("https://a@b@app.example/cb", .userInfo), ("https://@app.example/cb", .userInfo), ("https://a:b@app.example/", .userInfo),
    ("http://127.0.0.1@evil.example/cb", .userInfo), ("http://evil.example@127.0.0.1/cb", .userInfo),
    ("http://127.0.0.1:80@evil.example/cb", .userInfo), ("https://app.example%40evil.example/", .malformed),
    // Dot segments: plain, encoded, and with a path parameter.
    ("https://app.example/a/../cb", .dotSegment), ("https://app.example/./cb", .dotSegment),
    ("https://app.example/..", .dotSegment),
    ("https://app.example/a/..;/cb", .dotSegment), ("https://app.example/a/..;x=y/cb", .dotSegment),
    ("https://app.example/%2e%2e/cb", .dotSegment), ("https://app.example/%2E./cb", .dotSegment),
    ("http://127.0.0.1/.%2e/", .dotSegment),
    ("com.example.app:/../x", .dotSegment),
    // http with a host that is not spelled exactly 127.0.0.1, [::1], or localhost, or without a host.
    ("http://app.example/cb", .plainHTTP), ("http://localhost.evil/cb", .plainHTTP),
    ("http://localhost.evil.example/cb", .plainHTTP),
    ("http://127.0.0.1.evil.example/cb", .plainHTTP), ("http://evil.example/127.0.0.1", .plainHTTP),
    ("http://127.0.0.2/", .plainHTTP),
    ("http://0.0.0.0/cb", .plainHTTP), ("http://[::]/cb", .plainHTTP), ("http://127.1/cb", .plainHTTP),
    ("http://127.0.1/cb", .plainHTTP),
    ("http://2130706433/cb", .plainHTTP), ("http://0177.0.0.1/cb", .plainHTTP), ("http://017700000001/cb", .plainHTTP),
    ("http://0x7f.0.0.1/cb", .plainHTTP), ("http://0x7f000001/cb", .plainHTTP), ("http://127.0.0.01/cb", .plainHTTP),
    ("http://[::ffff:127.0.0.1]/cb", .plainHTTP), ("http://[::ffff:7f00:1]/cb", .plainHTTP),
    ("http://[0:0:0:0:0:0:0:1]/", .plainHTTP),
    ("http://[::0001]/", .plainHTTP), ("http://::1/cb", .malformed), ("http://[::1/cb", .malformed),
    ("http://[::1%25lo]/", .malformed),
    ("http://127.0.0.1./cb", .plainHTTP), ("http://localhost./cb", .plainHTTP), ("http://LOCALHOST/cb", .plainHTTP),
    ("http://Localhost/cb", .plainHTTP), ("http://%31%32%37.0.0.1/cb", .plainHTTP),
    ("http://localhost%00.evil.example/", .plainHTTP),
    ("http:///cb", .plainHTTP), ("http:/cb", .plainHTTP), ("http:127.0.0.1/cb", .plainHTTP), ("http://", .plainHTTP),
    // Ports.
    ("http://127.0.0.1:0/cb", .malformed), ("http://127.0.0.1:65536/cb", .malformed),
    ("http://127.0.0.1:99999999999/", .malformed),
    ("http://127.0.0.1:080/cb", .malformed), ("http://127.0.0.1:/cb", .malformed), ("http://127.0.0.1:-1/cb", .malformed),
    ("http://127.0.0.1:+80/cb", .malformed), ("http://127.0.0.1:8 0/cb", .malformed), ("http://127.0.0.1:80:80/", .malformed),
    ("http://[::1]x/cb", .malformed), ("http://[::1]:/cb", .malformed), ("https://app.example:0/cb", .malformed),
    // Invalid hosts of https URIs.
    ("https:///cb", .malformed), ("https:/cb", .malformed), ("https:app.example", .malformed), ("https://", .malformed),
    ("https://app..example/", .malformed), ("https://.example/", .malformed), ("https://app.example./cb", .malformed),
    ("https://-app.example/", .malformed), ("https://app.example;evil/", .malformed), ("https://*.example/cb", .malformed),
    ("https://'/cb", .malformed), ("https://[]/", .malformed), ("https://[x]/", .malformed),
  ]

  @Test("S-06, S-08, S-36: a URI that is invalid, insecure, or ambiguous is rejected", arguments: Self.hostile)
  func refused(text: String, error: RedirectURIError) {
    #expect(throws: error) { try RedirectURI(text) }
  }

  @Test(
    """
    C-06, C-07, C-31, S-09: a private-use scheme must be a reversed domain name followed by a single slash, except in a valid \
    msapp URI (RFC 8252 appendix B.3)
    """,
    arguments: [
      ("myapp:/x", .schemeWithoutPeriod), ("HTTP://127.0.0.1/cb", .schemeWithoutPeriod),
      ("HTTPS://app.example/", .schemeWithoutPeriod),
      ("javascript:/x", .schemeWithoutPeriod), ("data:/x", .schemeWithoutPeriod), ("file:///etc/passwd", .schemeWithoutPeriod),
      ("about:blank", .schemeWithoutPeriod), ("urn:ietf:wg:oauth:2.0:oob", .schemeWithoutPeriod),
      ("intent:/x", .schemeWithoutPeriod),
      ("com..example:/x", .schemeWithoutPeriod), ("com.:/x", .schemeWithoutPeriod), (".com:/x", .malformed),
      ("1.com:/x", .malformed),
      ("com.example+x:/x", .schemeWithoutPeriod), ("com.-x:/x", .schemeWithoutPeriod), ("com.x-:/x", .schemeWithoutPeriod),
      ("com.example_x:/x", .malformed), ("com.example.app://x", .notSingleSlash), ("com.example.app:///x", .notSingleSlash),
      ("com.example.app:", .notSingleSlash), ("com.example.app:x", .notSingleSlash), ("com.example.app:?x", .notSingleSlash),
      ("com.example.app://evil.example/x", .notSingleSlash), ("iris.beep:/x", .registeredScheme),
      ("IRIS.Beep:/x", .registeredScheme),
      ("soap.beeps:/x", .registeredScheme), ("z39.50r:/x", .registeredScheme), ("msapp:/x", .schemeWithoutPeriod),
      ("msapp://x/", .schemeWithoutPeriod), ("msapp://s-1-15-2.evil.example/", .schemeWithoutPeriod),
      ("msapp://s-1-15-2:80/", .schemeWithoutPeriod), ("msapp://s-1-/", .schemeWithoutPeriod),
    ] as [(String, RedirectURIError)])
  func privateUse(text: String, error: RedirectURIError) {
    #expect(throws: error) { try RedirectURI(text) }
  }

  @Test("response parameters are encoded and appended to the existing query")
  func appending() throws {
    let parameters = [(name: "code", value: "a b"), (name: "state", value: "&=#%")]
    #expect(try RedirectURI("com.example.app:/cb").appending(parameters) == "com.example.app:/cb?code=a%20b&state=%26%3D%23%25")
    #expect(
      try RedirectURI("https://a.example/?x=1").appending(parameters) == "https://a.example/?x=1&code=a%20b&state=%26%3D%23%25")
    #expect(try RedirectURI("https://a.example/?").appending(parameters) == "https://a.example/?code=a%20b&state=%26%3D%23%25")
  }
}
