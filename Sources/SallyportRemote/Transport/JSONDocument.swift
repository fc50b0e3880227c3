package import HTTPTypes
package import SallyportProtocol

/// Fetching one JSON document under the rules that hold for all of them: bounded, from exactly this URL, and JSON.
package enum JSONDocument {
  /// The bytes of the document at a checked URL.
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

  /// Only a 200 with a JSON media type is a document; where a redirect leads was never checked, so none is followed.
  package static func check(_ head: HTTPResponse) throws(JSONDocumentError) {
    switch head.status.code {
    case 200: break
    case 300..<400: throw .redirected
    default: throw .status(head.status.code)
    }
    guard self.isJSON(mediaType: head.headerFields[.contentType]) else { throw .notJSON }
  }

  /// `application/json`, or a type with the suffix `+json` (RFC 6839 §3.1), with or without parameters.
  private static func isJSON(mediaType: String?) -> Bool {
    guard let type = mediaType?.prefix(while: { $0 != ";" }).lowercased() else { return false }
    let trimmed = type.filter { $0 != " " && $0 != "\t" }
    return trimmed == "application/json" || (trimmed.hasPrefix("application/") && trimmed.hasSuffix("+json"))
  }
}

/// Why a document was not read.
public enum JSONDocumentError: Error, Equatable, Sendable {
  case transport(TransportError)
  /// Another status than 200.
  case status(Int)
  /// The server answered with a redirect, which is not followed.
  case redirected
  /// The answer's media type is not JSON.
  case notJSON
  /// The body is not the JSON that it should be.
  case malformed
}
