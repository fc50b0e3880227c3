package import SallyportProtocol

/// An answer to an authorization request, for the one place where it may go.
package struct AuthorizationAnswer: Sendable {
  package let redirect: VerifiedRedirect
  private let values: Secret<[String: String]>
  /// In the order in which they are written.
  private let names: [String]

  init(_ redirect: VerifiedRedirect, _ parameters: [(name: String, value: String)]) {
    self.redirect = redirect
    self.names = parameters.map(\.name)
    self.values = Secret(Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first })
  }

  /// The parameters, to be written where the mode says.
  package var parameters: [(name: String, value: String)] {
    let values = self.values.reveal()
    return self.names.map { ($0, values[$0] ?? "") }
  }

  /// Where the browser goes, with the parameters in the query.
  package var location: Secret<String> { Secret(self.redirect.redirectURI.appending(self.parameters)) }
}
