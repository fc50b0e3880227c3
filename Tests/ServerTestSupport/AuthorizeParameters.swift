import SallyportProtocol

/// The parameters of a valid authorization request, which tests can change.
package struct AuthorizeParameters: Sendable {
  /// The code verifier of RFC 7636 appendix B.
  package static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  /// The challenge of ``verifier``.
  package static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  package var list: [(name: String, value: String)]

  package init(_ client: TestClient = .loopback, redirectURI: String? = nil) {
    self.list = [
      ("response_type", "code"), ("client_id", client.rawValue), ("redirect_uri", redirectURI ?? client.requestedURI),
      ("scope", "openid profile email offline_access"), ("state", "af0ifjsldkj"), ("nonce", "n-0S6_WzA2Mj"),
      ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
    ]
  }

  package subscript(name: String) -> String? {
    self.list.first { $0.name == name }?.value
  }

  /// Returns the parameters with this value of the parameter `name`; nil removes the parameter.
  package func with(_ name: String, _ value: String?) -> AuthorizeParameters {
    var copy = self
    let index = copy.list.firstIndex { $0.name == name } ?? copy.list.endIndex
    copy.list.removeAll { $0.name == name }
    if let value { copy.list.insert((name, value), at: index) }
    return copy
  }

  /// Returns the parameters with this parameter appended, even if they already contain a parameter with this name.
  package func repeating(_ name: String, _ value: String) -> AuthorizeParameters {
    var copy = self
    copy.list.append((name, value))
    return copy
  }

  package var query: String { FormParameters.encode(self.list) }
}
