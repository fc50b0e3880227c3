import SallyportProtocol
package import SallyportServer

/// The clients of every ``TestServer``, one of each kind.
package enum TestClient: String, Sendable, CaseIterable {
  /// A native app that listens on loopback, RFC 8252 §7.3.
  case loopback
  /// A native app with a private-use scheme, §7.1.
  case privateUse = "private-use"
  /// A native app with a claimed `https` redirect, §7.2.
  case claimedHTTPS = "claimed"
  /// A native app with both a claimed `https` and a loopback redirect.
  case both
  /// A native app with a redirect to `http://localhost:8000`.
  case localhost
  /// A confidential web client that sends its secret in the form.
  case web
  /// A confidential web client that sends its secret in the `Authorization` header.
  case webBasic = "web-basic"
  /// A native app with a secret that all installations share.
  case staticSecret = "static-secret"
  /// A dynamic client, which is public.
  case dynamic
  /// A native app with RS256 ID tokens.
  case rs256

  /// The secret of ``web``, ``webBasic``, and ``staticSecret``.
  package static let secret = "s3cr%t:+/ "

  package var id: ClientID { ClientID(rawValue: self.rawValue) }

  package var redirectURIs: [String] {
    switch self {
    case .loopback, .staticSecret, .rs256: ["http://127.0.0.1/cb", "http://[::1]/cb", "http://127.0.0.1/cb?app=1"]
    case .privateUse: ["com.example.app:/cb"]
    case .claimedHTTPS: ["https://app.example/cb"]
    case .both: ["https://app.example/cb", "http://127.0.0.1/cb"]
    case .localhost: ["http://localhost:8000/cb"]
    case .web, .webBasic: ["https://web.example/cb"]
    case .dynamic: ["https://self.example/cb", "http://127.0.0.1/cb", "com.example.self:/cb"]
    }
  }

  /// The redirect URI that ``AuthorizeParameters`` sends.
  package var requestedURI: String {
    switch self {
    case .loopback, .staticSecret, .rs256: "http://127.0.0.1:51004/cb"
    default: self.redirectURIs.first ?? ""
    }
  }

  package var hasSecret: Bool { self == .web || self == .webBasic || self == .staticSecret }

  package var record: ClientRecord {
    get throws {
      ClientRecord(
        id: self.id, name: "Notes", type: self.hasSecret ? .confidential : .public,
        applicationType: self == .web || self == .webBasic ? .web : .native, origin: self == .dynamic ? .dynamic : .operator,
        redirectURIs: try self.redirectURIs.map { try RedirectURI($0) }, scope: "openid profile email offline_access notes",
        signingAlgorithm: self == .rs256 ? "RS256" : "ES256",
        authenticationMethod: self == .web ? .clientSecretPost : nil,
        secretFingerprint: self.hasSecret ? Fingerprint(of: Secret(Self.secret)) : nil,
        createdAt: Timestamp(seconds: 1_800_000_000))
    }
  }
}
