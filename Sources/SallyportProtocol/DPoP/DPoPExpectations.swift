/// What the request that a proof came with says about it, and what the receiver asks for.
public struct DPoPExpectations: Sendable {
  /// The request's method and URL, as the receiver is known outside.
  public var target: DPoPTarget
  /// The access token of the request, at an API; nil at the authorization server.
  public var accessToken: Secret<String>?
  /// The key that code, refresh token or access token is bound to; nil where nothing is bound yet.
  public var keyThumbprint: String?
  /// The nonces that are valid now; nil if proofs need no nonce.
  ///
  /// With a nonce, the proof's `iat` is not compared with the clock (RFC 9449 §4.3 number 11): a proof is then valid for as long as its
  /// nonce, so a nonce must not be valid for longer than ``maximumAge`` or the four minutes of a ``DPoPNonceSource``.
  public var nonces: [String]?
  public var algorithms: Set<DPoPAlgorithm>
  /// How long ago a proof without a nonce may have been made.
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
