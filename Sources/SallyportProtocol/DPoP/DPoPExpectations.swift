/// What the request that a proof came with says about it, and what the receiver asks for.
public struct DPoPExpectations: Sendable {
  /// The request's method and URL, as the receiver is known outside.
  public var target: DPoPTarget
  /// The access token of the request, at an API; nil at the authorization server.
  public var accessToken: Secret<String>?
  /// The key that code, refresh token or access token is bound to; nil where nothing is bound yet.
  public var keyThumbprint: String?
  /// The nonces that are good at this moment; nil where none is asked for.
  public var nonces: [String]?
  public var algorithms: Set<DPoPAlgorithm>
  /// How long ago the proof may have been made.
  public var maximumAge: Duration
  /// How far the two clocks may differ.
  public var leeway: Duration

  public init(
    target: DPoPTarget, accessToken: Secret<String>? = nil, keyThumbprint: String? = nil, nonces: [String]? = nil,
    algorithms: Set<DPoPAlgorithm> = Set(DPoPAlgorithm.allCases), maximumAge: Duration = .seconds(300),
    leeway: Duration = .seconds(30)
  ) {
    self.target = target
    self.accessToken = accessToken
    self.keyThumbprint = keyThumbprint
    self.nonces = nonces
    self.algorithms = algorithms
    self.maximumAge = maximumAge
    self.leeway = leeway
  }
}
