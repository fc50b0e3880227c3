package import HTTPTypes
package import SallyportProtocol

extension HTTPRequest {
  /// A GET request for a document at an endpoint.
  package static func get(_ url: EndpointURL, accept: String = "application/json") -> HTTPRequest {
    HTTPRequest(
      method: .get, scheme: url.components.scheme, authority: url.authority, path: url.pathAndQuery,
      headerFields: [.accept: accept])
  }

  /// A POST request to an endpoint, for a body that is a form.
  package static func post(form url: EndpointURL) -> HTTPRequest {
    HTTPRequest(
      method: .post, scheme: url.components.scheme, authority: url.authority, path: url.pathAndQuery,
      headerFields: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"])
  }
}
