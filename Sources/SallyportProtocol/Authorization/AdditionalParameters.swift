/// Server-specific parameters of a request, such as `audience` or `domain_hint`.
///
/// Parameters that the client sets itself, or omits on purpose, are not allowed. So a value of this type cannot turn
/// off PKCE, change the response type or mode, or redirect the response.
public struct AdditionalParameters: Sendable, Equatable {
  /// The parameters in the order in which they are sent.
  package private(set) var values: [(name: String, value: String)]

  /// Creates a list of parameters.
  /// - Throws: `AdditionalParameterError`
  public init(_ parameters: KeyValuePairs<String, String>) throws(AdditionalParameterError) {
    try self.init(parameters.map { (name: $0, value: $1) })
  }

  /// Creates a list of parameters that are known only at run time, such as parameters from a command line.
  /// - Throws: `AdditionalParameterError`
  public init(_ parameters: [(name: String, value: String)]) throws(AdditionalParameterError) {
    var seen: Set<String> = []
    for (name, _) in parameters {
      guard !name.isEmpty else { throw .unnamed }
      // A server might ignore case, so the reserved names cannot be used in any spelling.
      guard !Self.reserved.contains(name.lowercased()) else { throw .reserved(name) }
      guard seen.insert(name).inserted else { throw .repeated(name) }
    }
    self.values = parameters
  }

  /// Returns the parameters of both lists. If both contain the same name, only the parameter of `others` is kept.
  package func merging(_ others: AdditionalParameters) -> AdditionalParameters {
    var merged = self
    merged.values.removeAll { own in others.values.contains { $0.name == own.name } }
    merged.values += others.values
    return merged
  }

  public static func == (a: AdditionalParameters, b: AdditionalParameters) -> Bool {
    a.values.elementsEqual(b.values) { $0 == $1 }
  }

  private init() {
    self.values = []
  }

  /// No additional parameters.
  public static let none = AdditionalParameters()

  /// The parameters that the client sets itself or omits on purpose. They are defined in RFC 6749, 7009, 7521, 7636,
  /// 8628, 8707, 9101, 9126, and 9449, in OpenID Connect Core, and in OAuth 2.0 Multiple Response Type Encoding
  /// Practices.
  private static let reserved: Set<String> = [
    "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "nonce", "prompt", "max_age", "login_hint", "id_token_hint", "ui_locales", "claims", "acr_values", "resource", "request",
    "request_uri", "dpop_jkt", "client_secret", "client_assertion", "client_assertion_type", "registration", "code",
    "code_verifier", "grant_type", "iss", "access_token", "refresh_token", "device_code", "token", "token_type_hint",
  ]
}

/// Why a parameter cannot be added to a request.
public enum AdditionalParameterError: Error, Equatable, Sendable {
  /// The client sets this parameter itself, or omits it on purpose.
  case reserved(String)
  case repeated(String)
  case unnamed
}
