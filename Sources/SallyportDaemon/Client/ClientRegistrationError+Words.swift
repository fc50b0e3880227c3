import SallyportProtocol
import SallyportServer

extension ClientRegistrationError {
  /// The option of `client add` for a member of RFC 7591.
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

  /// What is wrong, and what to write instead.
  /// - Parameter name: how the operator wrote the member.
  func explanation(naming name: (String) -> String = { $0 }) -> String {
    switch self {
    case .invalidClientID:
      "\(name("client_id")): visible ASCII without spaces, at most 255 characters, not beginning with acct-"
    case .invalidName: "\(name("client_name")): people need a name to know the app by, of at most 200 bytes"
    case .invalidScope: "\(name("scope")): scope names separated by spaces"
    case .unsupportedAlgorithm: "\(name("id_token_signed_response_alg")): ES256 or RS256"
    case .redirectURIOfService: "\(name("redirect_uris")): a service sends nobody anywhere"
    case .authenticationMethod:
      "\(name("token_endpoint_auth_method")): a service, and a client with the grant client_credentials, must authenticate; a secret goes with client_secret_basic or client_secret_post only"
    case .keysMissing: "\(name("jwks")) or \(name("jwks_uri")) goes with private_key_jwt"
    case .secretTooShort: "\(name("client_secret")): the secret needs at least 22 characters"
    case .invalidResource: "\(name("resources")): https URLs without fragment"
    case .noRedirectURI: "\(name("redirect_uris")): at least one"
    case .invalidRedirectURI(let uri, let reason): "\(name("redirect_uris")) \(uri): \(reason.advice)"
    case .redirectURINotForWeb(let uri):
      "\(name("redirect_uris")) \(uri): a web app's redirect URI must be https, or on loopback if the app has a secret or a key; other URIs are for native apps"
    case .profileAlgorithm(let member):
      "\(name(member)): PS256, ES256 or EdDSA, since the client is registered as FAPI 2.0 has its clients (Security Profile §5.4.1)"
    case .member(let member, let problem): "\(name(member)) \(problem.rule)"
    }
  }
}

extension RedirectURIError {
  /// What is wrong, and what to write instead.
  fileprivate var advice: String {
    switch self {
    case .malformed: "not a complete URI in the characters of RFC 3986, or its port is not 1 to 65535"
    case .fragment: "must have no fragment (RFC 6749 §3.1.2)"
    case .userInfo: "must have no user information"
    case .dotSegment: "must have no . or .. in its path"
    case .plainHTTP: "http is for http://127.0.0.1 and http://[::1] only (RFC 8252 §7.3); use https"
    case .schemeWithoutPeriod:
      "a private-use scheme must be a reversed domain name, such as com.example.app:/callback (RFC 8252 §7.1), or be listed in registration.schemes"
    case .registeredScheme: "this scheme is registered with IANA and belongs to nobody alone"
    case .notSingleSlash: "a private-use scheme is followed by one slash, such as com.example.app:/callback (RFC 8252 §7.1)"
    }
  }
}
