import SallyportProtocol
import SallyportServer

extension ClientRegistrationError {
  /// Returns the option of `client add` that sets a property.
  /// - Parameter member: The name of the property in an imported file (``ClientFile``).
  static func option(_ member: String) -> String {
    switch member {
    case "client_name": "--name"
    case "application_type", "grant_types": "--type"
    case "redirect_uris": "--redirect-uri"
    case "token_endpoint_auth_method": "--auth-method"
    case "id_token_signed_response_alg": "--id-token-algorithm"
    case "client_secret": "--secret-from-stdin"
    case "resources": "--resource, --audience"
    case "contacts": "--contact"
    default: "--" + member.replacing("_", with: "-")
    }
  }

  /// Returns what is wrong, and what is expected.
  /// - Parameter name: Converts the name of a property in an imported file to the name that the operator used. By
  ///   default, both are the same.
  func explanation(naming name: (String) -> String = { $0 }) -> String {
    switch self {
    case .invalidClientID:
      "\(name("client_id")): must consist of at most 255 visible ASCII characters, and must not begin with acct-"
    case .invalidName: "\(name("client_name")): must not be blank, and must have at most 200 bytes"
    case .invalidScope: "\(name("scope")): must be scope names separated by spaces"
    case .unsupportedAlgorithm: "\(name("id_token_signed_response_alg")): must be ES256 or RS256"
    case .redirectURIOfService: "\(name("redirect_uris")): a service has no redirect URIs"
    case .authenticationMethod:
      "\(name("token_endpoint_auth_method")): services, and clients with the grant type client_credentials, must authenticate; a secret requires client_secret_basic or client_secret_post"
    case .keysMissing: "\(name("jwks")) or \(name("jwks_uri")) is required for private_key_jwt"
    case .secretTooShort: "\(name("client_secret")): must have at least 22 characters"
    case .invalidResource: "\(name("resources")): must be https URLs without a fragment"
    case .noRedirectURI: "\(name("redirect_uris")): at least one is required"
    case .invalidRedirectURI(let uri, let reason): "\(name("redirect_uris")) \(uri): \(reason.advice)"
    case .redirectURINotForWeb(let uri):
      "\(name("redirect_uris")) \(uri): a web app's redirect URI must be https, or on loopback if the app has a secret or a key; other URIs are for native apps"
    case .profileAlgorithm(let member):
      "\(name(member)): must be PS256, ES256, or EdDSA for a client that is registered for FAPI 2.0 (Security Profile §5.4.1)"
    case .member(let member, let problem): "\(name(member)) \(problem.rule)"
    }
  }
}

extension RedirectURIError {
  /// What is wrong, and what to write instead.
  fileprivate var advice: String {
    switch self {
    case .malformed: "must be a complete URI (RFC 3986) with a port from 1 to 65535, if any"
    case .fragment: "must have no fragment (RFC 6749 §3.1.2)"
    case .userInfo: "must have no user information"
    case .dotSegment: "must have no . or .. in its path"
    case .plainHTTP: "http is allowed only for the hosts 127.0.0.1, [::1], and localhost; use https"
    case .schemeWithoutPeriod:
      "a private-use scheme must be a reversed domain name, such as com.example.app:/callback (RFC 8252 §7.1), or be listed in registration.schemes"
    case .registeredScheme: "the scheme is registered with IANA or handled by the system, and cannot be used by an app"
    case .notSingleSlash: "a private-use scheme must be followed by one slash, as in com.example.app:/callback (RFC 8252 §7.1)"
    }
  }
}
