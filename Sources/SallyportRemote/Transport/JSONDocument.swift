package import HTTPTypes
package import SallyportProtocol

/// Fetches a JSON document of limited size.
package enum JSONDocument {
  /// Returns the bytes of the document at the URL.
  ///
  /// Besides JSON, the media types `text/plain`, `text/javascript`, and `application/javascript` are accepted, because
  /// the callers decode the body as JSON anyway. A web page (`text/html`) is rejected.
  /// - Parameter redirects: How many redirects to follow. Each redirect must lead to the same scheme, host, and port,
  ///   so that the document still comes from the server that was asked.
  /// - Throws: ``JSONDocumentError``
  package static func fetch(
    _ url: EndpointURL, over transport: any Transport, limits: TransferLimits = .document, redirects: Int = 0
  ) async throws(JSONDocumentError) -> [UInt8] {
    let response: TransportResponse
    do {
      response = try await transport.send(.get(url), body: [], limits: limits)
    } catch {
      throw .transport(error)
    }
    if redirects > 0, let next = self.redirect(response.head, from: url) {
      return try await self.fetch(next, over: transport, limits: limits, redirects: redirects - 1)
    }
    try self.check(response.head, acceptsText: true)
    guard response.body.count <= limits.maximumBodySize else { throw .transport(.bodyTooLarge) }
    return response.body
  }

  /// Requires status 200 and a JSON media type.
  /// - Parameter acceptsText: Whether to accept the media types of plain text and of scripts too.
  package static func check(_ head: HTTPResponse, acceptsText: Bool = false) throws(JSONDocumentError) {
    switch head.status.code {
    case 200: break
    case 300..<400: throw .redirected
    default: throw .status(head.status.code)
    }
    let mediaType = head.headerFields[.contentType]
    guard self.isJSON(mediaType: mediaType) || (acceptsText && self.isText(mediaType: mediaType)) else { throw .notJSON }
  }

  /// The target of a redirect (RFC 9110 §10.2.2), if it has the same origin.
  private static func redirect(_ head: HTTPResponse, from url: EndpointURL) -> EndpointURL? {
    guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location] else { return nil }
    let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
    let target = isPath ? "\(url.components.scheme)://\(url.authority)\(location)" : location
    guard let next = try? EndpointURL(target), Origin(next) == Origin(url) else { return nil }
    return next
  }

  /// Whether the media type is `application/json` or has the suffix `+json` (RFC 6839 §3.1), with or without
  /// parameters.
  private static func isJSON(mediaType: String?) -> Bool {
    let type = self.withoutParameters(mediaType)
    return type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
  }

  private static func isText(mediaType: String?) -> Bool {
    ["text/plain", "text/javascript", "application/javascript"].contains(self.withoutParameters(mediaType))
  }

  private static func withoutParameters(_ mediaType: String?) -> String {
    (mediaType ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
  }
}

/// Why a document could not be read.
public enum JSONDocumentError: Error, Equatable, Sendable {
  case transport(TransportError)
  /// The status is neither 200 nor a redirect.
  case status(Int)
  /// The server returned a status from 300 to 399 that was not followed, for example because the redirect leads to
  /// another origin, or because there were too many redirects.
  case redirected
  /// The response's media type is neither JSON nor a text type that the caller accepts.
  case notJSON
  /// The body is not the expected JSON.
  case malformed
}
