/// Additional parameters for each kind of request to an authorization server.
public struct RequestParameters: Sendable, Equatable {
  /// For the authorization request (RFC 6749 §4.1.1). If the options of a sign-in contain a parameter with the same
  /// name, that parameter is sent instead.
  public var authorization: AdditionalParameters
  /// For the device authorization request (RFC 8628 §3.1). If the options of a sign-in contain a parameter with the
  /// same name, that parameter is sent instead.
  public var device: AdditionalParameters
  /// For the token request that redeems an authorization code or a device code (RFC 6749 §4.1.3, RFC 8628 §3.4).
  public var token: AdditionalParameters
  /// For the token request that refreshes the tokens (RFC 6749 §6).
  public var refresh: AdditionalParameters

  /// Creates a value. The properties with the same names describe the parameters.
  public init(
    authorization: AdditionalParameters = .none, device: AdditionalParameters = .none, token: AdditionalParameters = .none,
    refresh: AdditionalParameters = .none
  ) {
    self.authorization = authorization
    self.device = device
    self.token = token
    self.refresh = refresh
  }

  /// No additional parameters.
  public static let none = RequestParameters()
}
