import HTTPTypes
package import SallyportProtocol
package import SallyportRemote

/// The client's own requests to the server, behind the browser's back: token, revocation, pushed request, device authorization.
///
/// The one place where a request gets the client's authentication.
package struct BackChannel: Sendable {
  private let clientID: String
  private let authentication: ClientAuthentication
  private let transport: any Transport

  package init(clientID: String, authentication: ClientAuthentication, transport: any Transport) {
    self.clientID = clientID
    self.authentication = authentication
    self.transport = transport
  }

  /// Posts a form, with the client's name and proof.
  package func post(
    _ parameters: [(name: String, value: String)], to url: EndpointURL, limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    var request = HTTPRequest.post(form: url)
    if let authorization = self.authentication.authorization(clientID: self.clientID) {
      request.headerFields[.authorization] = authorization
    }
    let form = parameters + self.authentication.parameters(clientID: self.clientID)
    return try await self.transport.send(request, body: Array(FormParameters.encode(form).utf8), limits: limits)
  }

  /// What an error text must not repeat.
  var secrets: [Secret<String>] { self.authentication.secrets }
}
