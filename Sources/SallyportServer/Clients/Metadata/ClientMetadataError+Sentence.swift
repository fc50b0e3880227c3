import SallyportProtocol

extension ClientMetadataError {
  /// The error description for the client's developer: the member, and the rule that it violates. Contains no values of
  /// the request.
  var sentence: String {
    switch self {
    case .redirectURI(let index, let error): "redirect_uris[\(index)] \(error.rule)."
    case .redirectURITooLong(let index): "redirect_uris[\(index)] must be at most 2048 bytes long."
    case .tooManyRedirectURIs: "redirect_uris must have at most 32 entries."
    case .noRedirectURI: "redirect_uris must not be empty, because grant_types includes \"authorization_code\"."
    case .redirectURINotForWeb(let index):
      "redirect_uris[\(index)] is for native apps, but application_type is \"web\". Use \"native\", or an https URI."
    case .mixedRedirectURIs: "application_type is required, because redirect_uris has URIs of both web and native apps."
    case .member(let name, let problem): "\(name) \(problem.rule)."
    case .grantTypes: "grant_types and response_types are inconsistent, or include a grant type that is not allowed."
    case .authenticationMissing: "grant_types must not include \"client_credentials\" for a client that does not authenticate."
    }
  }
}

extension RedirectURIError {
  /// The rule, as the predicate of a sentence whose subject is the member.
  fileprivate var rule: String {
    switch self {
    case .malformed: "must be an absolute URI"
    case .fragment: "must not have a fragment"
    case .userInfo: "must not have user information"
    case .dotSegment: "must not have a dot segment in its path"
    case .plainHTTP: "must use https, because http is allowed only on 127.0.0.1, [::1], and localhost"
    case .schemeWithoutPeriod:
      "must have a reversed domain name as its scheme, such as com.example.app, or a scheme that the operator of this server allows"
    case .registeredScheme: "must not have a scheme that is registered with IANA"
    case .notSingleSlash: "must have a single slash after its scheme"
    }
  }
}
