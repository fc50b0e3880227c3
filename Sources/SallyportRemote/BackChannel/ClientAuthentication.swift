package import SallyportProtocol

/// How a client authenticates to the authorization server's endpoints (RFC 6749 §2.3).
///
/// A native app is normally a public client without credentials (RFC 8252 §8.4).
package enum ClientAuthentication: Sendable {
  /// A public client, which sends only its `client_id`.
  case none
  /// `client_secret_basic`.
  case secretBasic(Secret<String>)
  /// `client_secret_post`.
  case secretPost(Secret<String>)
  /// `private_key_jwt` (RFC 7523 §2.2), with a key that only this installation of the app has.
  /// - Parameter audience: The issuer identifier of the server.
  case privateKeyJWT(ClientAssertionKey, audience: Issuer)

  /// Chooses how to send a secret: `client_secret_post` if the server's metadata lists it and not
  /// `client_secret_basic`, otherwise `client_secret_basic`, which is the default of RFC 8414 §2.
  /// - Parameters:
  ///   - secret: The secret, or `nil` for a public client.
  ///   - methods: `token_endpoint_auth_methods_supported`.
  package init(secret: Secret<String>?, methods: [String]?) {
    guard let secret else {
      self = .none
      return
    }
    let post = methods.map { !$0.contains("client_secret_basic") && $0.contains("client_secret_post") } ?? false
    self = post ? .secretPost(secret) : .secretBasic(secret)
  }

  /// The form parameters that the method adds.
  /// - Throws: ``TransportError/unreachable(reason:)`` if the key cannot sign; the request is then not sent.
  func parameters(clientID: String, at now: Timestamp) throws(TransportError) -> [(name: String, value: String)] {
    switch self {
    case .none: return [(name: "client_id", value: clientID)]
    case .secretBasic: return []
    case .secretPost(let secret):
      return [(name: "client_id", value: clientID), (name: "client_secret", value: secret.reveal())]
    case .privateKeyJWT(let key, let audience):
      guard let assertion = key.assertion(clientID: clientID, audience: audience, at: now) else {
        throw .unreachable(reason: "the client assertion could not be signed")
      }
      return [
        (name: "client_id", value: clientID), (name: "client_assertion_type", value: ClientAssertionKey.assertionType),
        (name: "client_assertion", value: assertion.reveal()),
      ]
    }
  }

  /// The value of the `Authorization` header field, if the method uses one.
  func authorization(clientID: String) -> String? {
    guard case .secretBasic(let secret) = self else { return nil }
    return BasicAuthorization.value(clientID: clientID, secret: secret)
  }

  /// Values that an error text must not contain.
  var secrets: [Secret<String>] {
    switch self {
    case .none, .privateKeyJWT: []
    case .secretBasic(let secret), .secretPost(let secret): [secret]
    }
  }
}
