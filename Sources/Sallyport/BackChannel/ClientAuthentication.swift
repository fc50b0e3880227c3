package import SallyportProtocol
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a client proves itself to the server's endpoints, RFC 6749 §2.3.
///
/// A native app is a public client and proves nothing (RFC 8252 §8.4); PKCE is due whatever stands here.
package enum ClientAuthentication: Sendable {
  /// A public client: it names itself.
  case none
  /// `client_secret_basic`.
  case secretBasic(Secret<String>)
  /// `client_secret_post`.
  case secretPost(Secret<String>)

  /// How a secret is sent: as the server's metadata say, and by `client_secret_basic` where they say nothing (RFC 8414 §2).
  /// - Parameter methods: `token_endpoint_auth_methods_supported`.
  init(secret: Secret<String>?, methods: [String]?) {
    guard let secret else {
      self = .none
      return
    }
    let post = methods.map { !$0.contains("client_secret_basic") && $0.contains("client_secret_post") } ?? false
    self = post ? .secretPost(secret) : .secretBasic(secret)
  }

  /// The parameters that the method adds to a form.
  func parameters(clientID: String) -> [(name: String, value: String)] {
    switch self {
    case .none: [(name: "client_id", value: clientID)]
    case .secretBasic: []
    case .secretPost(let secret): [(name: "client_id", value: clientID), (name: "client_secret", value: secret.reveal())]
    }
  }

  /// The value of the `Authorization` header, if the method has one: both parts form-encoded first, RFC 6749 §2.3.1.
  func authorization(clientID: String) -> String? {
    guard case .secretBasic(let secret) = self else { return nil }
    let credentials = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(secret.reveal()))"
    return "Basic \(Data(credentials.utf8).base64EncodedString())"
  }

  /// What an error text must not repeat.
  var secrets: [Secret<String>] {
    switch self {
    case .none: []
    case .secretBasic(let secret), .secretPost(let secret): [secret]
    }
  }
}
