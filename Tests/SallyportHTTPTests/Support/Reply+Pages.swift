import HTTPTypes

extension Reply {
  /// Whether the header fields of the page forbid browsers to show it in a frame.
  var isUnframeable: Bool {
    HTTPField.Name("X-Frame-Options").flatMap { self.headers[$0] } == "DENY"
      && self.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true
  }

  /// The value of the first hidden field with this name.
  func hidden(_ name: String) -> String? {
    guard let start = self.body.firstRange(of: #"name="\#(name)" value=""#)?.upperBound else { return nil }
    return String(self.body[start...].prefix { $0 != "\"" })
  }
}
