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
}
