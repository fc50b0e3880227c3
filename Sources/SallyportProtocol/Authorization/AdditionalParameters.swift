/// Parameters of an authorization request that a server has of its own, for example `audience` or `domain_hint`.
///
/// There is no value of this type with a parameter that the client itself sets or leaves out on purpose: nothing here can turn
/// PKCE off, ask for another response type or mode, or lead the answer elsewhere.
public struct AdditionalParameters: Sendable {
  let values: [(name: String, value: String)]

  /// - Throws: ``AdditionalParameterError``
  public init(_ parameters: KeyValuePairs<String, String>) throws(AdditionalParameterError) {
    var seen: Set<String> = []
    for (name, _) in parameters {
      guard !name.isEmpty else { throw .unnamed }
      // Without regard to case: a server might have none either.
      guard !Self.reserved.contains(name.lowercased()) else { throw .reserved(name) }
      guard seen.insert(name).inserted else { throw .repeated(name) }
    }
    self.values = parameters.map { (name: $0, value: $1) }
  }

  private init() {
    self.values = []
  }

  public static let none = AdditionalParameters()

  /// What RFC 6749, 7521, 7636, 8707, 9101, 9126 and 9449, OpenID Connect Core and its response modes give a meaning that is the
  /// client's own.
  private static let reserved: Set<String> = [
    "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "nonce", "prompt", "max_age", "login_hint", "id_token_hint", "ui_locales", "claims", "acr_values", "resource", "request",
    "request_uri", "dpop_jkt", "client_secret", "client_assertion", "client_assertion_type", "registration", "code",
    "code_verifier", "grant_type", "iss", "access_token",
  ]
}

/// Why a parameter is not added to a request.
public enum AdditionalParameterError: Error, Equatable, Sendable {
  /// The client sets this one, or leaves it out on purpose.
  case reserved(String)
  case repeated(String)
  case unnamed
}
