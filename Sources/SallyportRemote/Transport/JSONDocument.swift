package import HTTPTypes
package import SallyportProtocol

/// Fetches a JSON document: limited in size, without redirects, and with a JSON media type.
package enum JSONDocument {
  /// Returns the bytes of the document at the URL.
  /// - Throws: ``JSONDocumentError``
  package static func fetch(
    _ url: EndpointURL, over transport: any Transport, limits: TransferLimits = .document
  ) async throws(JSONDocumentError) -> [UInt8] {
    let response: TransportResponse
    do {
      response = try await transport.send(.get(url), body: [], limits: limits)
    } catch {
      throw .transport(error)
    }
    try self.check(response.head)
    guard response.body.count <= limits.maximumBodySize else { throw .transport(.bodyTooLarge) }
    return response.body
  }

  /// Requires status 200 and a JSON media type. Redirects are not followed, because their targets are not checked.
  package static func check(_ head: HTTPResponse) throws(JSONDocumentError) {
    switch head.status.code {
    case 200: break
    case 300..<400: throw .redirected
    default: throw .status(head.status.code)
    }
    guard self.isJSON(mediaType: head.headerFields[.contentType]) else { throw .notJSON }
  }

  /// Whether the media type is `application/json` or has the suffix `+json` (RFC 6839 §3.1), with or without
  /// parameters.
  private static func isJSON(mediaType: String?) -> Bool {
    guard let type = mediaType?.prefix(while: { $0 != ";" }).lowercased() else { return false }
    let trimmed = type.filter { $0 != " " && $0 != "\t" }
    return trimmed == "application/json" || (trimmed.hasPrefix("application/") && trimmed.hasSuffix("+json"))
  }
}

/// Why a document could not be read.
public enum JSONDocumentError: Error, Equatable, Sendable {
  case transport(TransportError)
  /// The status is neither 200 nor a redirect.
  case status(Int)
  /// The server returned a redirect, which is not followed.
  case redirected
  /// The response's media type is not JSON.
  case notJSON
  /// The body is not the expected JSON.
  case malformed
}
