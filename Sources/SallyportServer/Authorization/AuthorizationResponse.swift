package import SallyportProtocol

/// An authorization response, bound to its verified redirect URI.
package struct AuthorizationResponse: Sendable {
  package let redirect: VerifiedRedirect
  private let values: Secret<[String: String]>
  /// The parameter names in the order of the response.
  private let names: [String]

  init(_ redirect: VerifiedRedirect, _ parameters: [(name: String, value: String)]) {
    self.redirect = redirect
    self.names = parameters.map(\.name)
    self.values = Secret(Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first })
  }

  /// The parameters, for the query or the form, depending on the response mode.
  package var parameters: [(name: String, value: String)] {
    let values = self.values.reveal()
    return self.names.map { ($0, values[$0] ?? "") }
  }

  /// The redirect URI with the parameters in its query.
  package var location: Secret<String> { Secret(self.redirect.redirectURI.appending(self.parameters)) }
}
