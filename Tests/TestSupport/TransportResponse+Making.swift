#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import HTTPTypes
package import SallyportRemote

extension TransportResponse {
  /// Creates a response with a media type and a body.
  package static func body(
    _ body: [UInt8], type: String?, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> TransportResponse {
    var head = HTTPResponse(status: status, headerFields: headers)
    head.headerFields[.contentType] = type
    return TransportResponse(head: head, body: body)
  }

  /// Creates a JSON response from text.
  package static func json(_ text: String, status: HTTPResponse.Status = .ok) -> TransportResponse {
    self.body(Array(text.utf8), type: "application/json", status: status)
  }

  /// Creates a JSON response from a value.
  package static func json(encoding value: some Encodable, status: HTTPResponse.Status = .ok) -> TransportResponse {
    // If encoding fails, the body is empty, and the client rejects the response.
    self.body(Array((try? JSONEncoder().encode(value)) ?? Data()), type: "application/json", status: status)
  }

  package static func text(_ text: String, status: HTTPResponse.Status) -> TransportResponse {
    self.body(Array(text.utf8), type: "text/plain", status: status)
  }

  package static func redirect(to location: String, status: HTTPResponse.Status = .found) -> TransportResponse {
    self.body([], type: nil, status: status, headers: [.location: location])
  }
}
