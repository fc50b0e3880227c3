/// What a DPoP proof must match: properties of the request, and settings of the server that checks the proof.
package struct DPoPExpectations: Sendable {
  /// The method and URL of the request, as clients see them.
  package var target: DPoPTarget
  /// The access token in the request, for example in a request to an API. `nil` if the request contains none, for
  /// example for a token request.
  package var accessToken: Secret<String>?
  /// The thumbprint of the key to which the code or token is bound. `nil` if there is none yet.
  package var keyThumbprint: String?
  /// The nonces that are currently valid. `nil` if proofs need no nonce.
  ///
  /// With a nonce, the proof's `iat` is not compared with the clock (RFC 9449 §4.3, rule 11), so a proof is valid for
  /// as long as its nonce. The server remembers such a proof for ``maximumAge`` or for four minutes (the lifetime of
  /// the nonces of a ``DPoPNonceSource``), whichever is longer. No nonce may be valid for longer than the server
  /// remembers the proofs that contain it.
  package var nonces: [String]?
  /// The accepted signature algorithms.
  package var algorithms: Set<DPoPAlgorithm>
  /// The maximum age of a proof without a nonce.
  package var maximumAge: Duration
  /// The tolerated clock difference.
  package var leeway: Duration

  /// Creates expectations.
  /// - Parameters:
  ///   - target: The method and URL of the request.
  ///   - accessToken: The access token in the request, if it contains one.
  ///   - keyThumbprint: The thumbprint of the key to which the code or token is bound.
  ///   - nonces: The valid nonces, or `nil` if proofs need no nonce.
  ///   - algorithms: The accepted signature algorithms.
  ///   - maximumAge: The maximum age of a proof without a nonce.
  ///   - leeway: The tolerated clock difference.
  package init(
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
