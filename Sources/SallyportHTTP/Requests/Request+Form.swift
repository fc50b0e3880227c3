import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol

extension Request {
  /// Returns the body as text.
  /// - Throws: `HTTPError` with status 413 if the body is too large, and 400 if it is incomplete or not valid UTF-8.
  func formText() async throws -> String {
    let body = try await self.wholeBody()
    let text = body.withUnsafeReadableBytes { String(validUTF8: $0.bindMemory(to: UInt8.self)) }
    guard let text else { throw HTTPError(.badRequest) }
    return text
  }

  /// Whether the body is a form (RFC 6749 §4.1.3 and appendix B).
  var hasFormContentType: Bool {
    guard let type = self.headers.value(of: .contentType) else { return false }
    let form = "application/x-www-form-urlencoded"
    // The first comparison is fast and nearly always succeeds. The second one ignores case and parameters.
    return type == form || type.prefix { $0 != ";" }.lowercased().split(whereSeparator: \.isWhitespace) == [form[...]]
  }

  /// Whether the form was posted from one of the server's own pages (RFC 6749 §10.12).
  ///
  /// Browsers send `Origin` with a form. If the field is missing, for example because a proxy removed it,
  /// `Sec-Fetch-Site` decides. For a request with neither field, the result is false.
  func isSameOrigin(as issuer: Issuer) -> Bool {
    if let origin = self.headers[.origin] { return origin == issuer.origin }
    return self.headers[.secFetchSite] == "same-origin"
  }
}
