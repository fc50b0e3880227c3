package import HTTPTypes
package import SallyportProtocol

extension HTTPRequest {
  /// A GET for a document at a checked endpoint.
  package static func get(_ url: EndpointURL, accept: String = "application/json") -> HTTPRequest {
    HTTPRequest(
      method: .get, scheme: url.components.scheme, authority: url.authority, path: url.pathAndQuery,
      headerFields: [.accept: accept])
  }

  /// A POST of a form to a checked endpoint.
  package static func post(form url: EndpointURL) -> HTTPRequest {
    HTTPRequest(
      method: .post, scheme: url.components.scheme, authority: url.authority, path: url.pathAndQuery,
      headerFields: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"])
  }
}
