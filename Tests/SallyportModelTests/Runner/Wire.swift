import SallyportProtocol
import SallyportServer
import ServerTestSupport

/// The parameters of the requests for the steps of a history, and the scopes and audiences that the resulting tokens
/// must have. A `step` is the step that the runner executes. A `request` is the earlier `open` step that began the
/// grant of this step.
enum Wire {
  static let issuer = "https://id.example"
  static let resources = ["https://api.example/a", "https://api.example/b"]

  static func scope(of request: Step) -> String {
    request.access == .offline ? "openid offline_access notes" : "openid notes"
  }

  static func resources(of request: Step) -> [String] {
    request.resource == .all ? [] : self.resources
  }

  /// The scope of the refreshed tokens, or `nil` if the request exceeds the granted scope.
  static func scope(of step: Step, within granted: String) -> String? {
    switch step.scope {
    case .all: granted
    case .narrower: "notes"
    case .wider: nil
    }
  }

  /// The audience of the access token, or `nil` if the request exceeds the granted resources.
  static func audience(of step: Step, within granted: [String]) -> [String]? {
    switch step.resource {
    case .all: granted.isEmpty ? [self.issuer] : granted
    case .narrower: [granted.first ?? self.issuer]
    case .wider: nil
    }
  }

  typealias Form = [(name: String, value: String)]

  /// The query of an authorization request.
  static func authorization(_ request: Step) -> String {
    var parameters = AuthorizeParameters(request.client.registered)
      .with("scope", self.scope(of: request))
      // Each request asks for consent, because the database may contain consents of earlier histories.
      .with("prompt", "consent")
    for resource in self.resources(of: request) { parameters = parameters.repeating("resource", resource) }
    if let key = Keys.key(request.key) { parameters = parameters.with("dpop_jkt", key.publicKey.thumbprint) }
    return parameters.query
  }

  static func redemption(_ step: Step, of code: String, for request: Step) -> Form {
    var form: Form = [("grant_type", "authorization_code"), ("code", code)]
    form.append(("redirect_uri", step.redirect == .right ? request.client.registered.requestedURI : "http://127.0.0.1:1/cb"))
    switch step.verifier {
    case .right: form.append(("code_verifier", AuthorizeParameters.verifier))
    case .wrong: form.append(("code_verifier", String(AuthorizeParameters.verifier.reversed())))
    case .none: break
    }
    return form + self.resource(step, of: request) + self.credentials(step, of: request)
  }

  static func refresh(_ step: Step, of token: String, for request: Step) -> Form {
    var form: Form = [("grant_type", "refresh_token"), ("refresh_token", token)]
    switch step.scope {
    case .all: break
    case .narrower: form.append(("scope", "notes"))
    case .wider: form.append(("scope", self.scope(of: request) + " profile"))
    }
    return form + self.resource(step, of: request) + self.credentials(step, of: request)
  }

  static func revocation(_ step: Step, of token: String, for request: Step) -> Form {
    [("token", token)] + self.credentials(step, of: request)
  }

  private static func resource(_ step: Step, of request: Step) -> Form {
    switch step.resource {
    case .all: []
    case .narrower: [("resource", self.resources(of: request).first ?? self.issuer)]
    case .wider: [("resource", "https://elsewhere.example/")]
    }
  }

  private static func credentials(_ step: Step, of request: Step) -> Form {
    let client = step.party == .own ? request.client : request.client.other
    let form: Form = [("client_id", client.registered.rawValue)]
    return client.isPublic ? form : form + [("client_secret", TestClient.secret)]
  }
}

extension Step.Client {
  var other: Step.Client { self == .app ? .web : .app }
  var isPublic: Bool { self == .app }
  var registered: TestClient { self == .app ? .loopback : .web }
}

/// The DPoP keys that steps name.
enum Keys {
  private static let generated = Result { (a: try SoftwareDPoPKeys().makeKey(), b: try SoftwareDPoPKeys().makeKey()) }

  /// - Returns: `nil` for `.none`, and for `.own`, which ``Model/resolve(_:)`` has replaced in a step that runs.
  static func key(_ name: Step.Key) -> (any DPoPKey)? {
    switch name {
    case .own, .none: nil
    case .a: try? self.generated.get().a
    case .b: try? self.generated.get().b
    }
  }
}
