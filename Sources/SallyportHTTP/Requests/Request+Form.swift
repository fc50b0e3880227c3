import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol

extension Request {
  /// The body as text.
  /// - Throws: `HTTPError` with 413 for one that is too large, 400 for one that is not UTF-8.
  func formText() async throws -> String {
    let body = try await self.wholeBody()
    let text = body.withUnsafeReadableBytes { String(validUTF8: $0.bindMemory(to: UInt8.self)) }
    guard let text else { throw HTTPError(.badRequest) }
    return text
  }

  /// RFC 6749 §4.1.3 and appendix B.
  var hasFormContentType: Bool {
    guard let type = self.headers.value(of: .contentType) else { return false }
    let form = "application/x-www-form-urlencoded"
    return type == form || type.prefix { $0 != ";" }.lowercased().split(whereSeparator: \.isWhitespace) == [form[...]]
  }

  /// Whether a form was posted from one of our own pages (RFC 6749 §10.12). Browsers say so in `Origin`, or in `Sec-Fetch-Site`
  /// where something took the former away; whoever says neither is refused.
  func isSameOrigin(as issuer: Issuer) -> Bool {
    if let origin = self.headers[.origin] { return origin == issuer.origin }
    return self.headers[.secFetchSite] == "same-origin"
  }
}
