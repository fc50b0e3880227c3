/// The bodies of requests to glewlwyd's API, which sign in, grant scopes as the user, and configure the server.
extension Glewlwyd {
  struct Credentials: Encodable {
    var username: String
    var password: String
  }

  struct Grant: Encodable { var scope: String }

  struct Scope: Encodable {
    var name: String
    var displayName: String
    var passwordRequired = false
  }

  struct User: Encodable {
    var username: String
    var password: String
    var name = "Ada"
    var enabled = true
    var scope = TestClient.scope.split(separator: " ").map(String.init)
  }

  struct Client: Encodable {
    var clientId: String
    var name: String
    var redirectUri: [String]
    var enabled = true
    var confidential = false
    var authorizationType = ["code", "refresh_token"]
    var scope = ["openid"]
  }

  struct Plugin: Encodable {
    var module = "oidc"
    var name = "oidc"
    var displayName = "OpenID Connect"
    var enabled = true
    var parameters: Parameters

    init(issuer: String, key: String, cert: String) {
      self.parameters = Parameters(iss: issuer, key: key, cert: cert)
    }
  }

  /// The parameters of the plugin. Their names contain hyphens, so the encoder's conversion to snake case cannot
  /// produce them.
  struct Parameters: Encodable {
    var iss: String
    var key: String
    var cert: String

    private static let words = ["jwt-type": "ecdsa", "jwt-key-size": "256", "refresh-token-one-use": "always"]
    private static let numbers = ["access-token-duration": 600, "refresh-token-duration": 3600, "code-duration": 60]
    private static let flags = [
      "auth-type-code-enabled": true, "auth-type-refresh-enabled": true, "auth-type-id-token-enabled": true,
      "auth-type-token-enabled": false, "auth-type-none-enabled": false, "auth-type-password-enabled": false,
      "auth-type-client-enabled": false, "allow-non-oidc": false, "refresh-token-rolling": true, "pkce-allowed": true,
      "pkce-required": true, "pkce-required-public-client": true, "pkce-method-plain-allowed": false,
    ]

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in ["iss": self.iss, "key": self.key, "cert": self.cert].merging(Self.words, uniquingKeysWith: { $1 }) {
        try container.encode(value, forKey: Key(stringValue: name))
      }
      for (name, value) in Self.numbers { try container.encode(value, forKey: Key(stringValue: name)) }
      for (name, value) in Self.flags { try container.encode(value, forKey: Key(stringValue: name)) }
      for name in ["scope", "additional-parameters", "claims"] {
        try container.encode([String](), forKey: Key(stringValue: name))
      }
    }
  }
}
