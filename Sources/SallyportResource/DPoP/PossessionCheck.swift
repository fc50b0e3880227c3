import Crypto
import HTTPTypes
import SallyportProtocol

/// Whether whoever sends a token has the key that it is bound to, RFC 9449 §7.
struct PossessionCheck: Sendable {
  let acceptance: DPoPAcceptance
  /// Scheme, host and port under which the API is known outside.
  let origin: String
  let leeway: Duration
  let now: TimeSource

  func check(
    _ presented: PresentedAccessToken, of token: VerifiedAccessToken, in request: HTTPRequest
  ) async throws(AccessRefusal.Reason) {
    guard let thumbprint = try self.boundKey(of: token, presented.scheme) else { return }
    let proof = try self.proof(for: presented, in: request, boundTo: thumbprint)
    try await self.use(proof)
  }

  /// Scheme and token must agree: a bound token is never taken as a bearer token (§7.2), nor the other way round.
  private func boundKey(
    of token: VerifiedAccessToken, _ scheme: PresentedAccessToken.Scheme
  ) throws(AccessRefusal.Reason) -> String? {
    switch (scheme, token.keyThumbprint) {
    case (.bearer, nil):
      guard self.acceptance.demand != .required else { throw .bindingRequired }
      return nil
    case (.bearer, _?): throw .boundTokenAsBearer
    case (.dpop, nil): throw .tokenNotBound
    case (.dpop, let thumbprint?):
      guard self.acceptance.demand != .off else { throw .bindingNotSupported }
      return thumbprint
    }
  }

  private func proof(
    for presented: PresentedAccessToken, in request: HTTPRequest, boundTo thumbprint: String
  ) throws(AccessRefusal.Reason) -> ValidatedDPoPProof {
    guard !request.headerFields[values: .dpop].isEmpty else { throw .proofMissing }
    do throws(DPoPProofError) {
      guard let text = try DPoPProof.proof(in: request.headerFields),
        // Another text after the origin would change which host the URL names.
        case let path = request.path ?? "/", path.utf8.first == UInt8(ascii: "/"),
        let target = DPoPTarget(method: request.method.rawValue, url: self.origin + path)
      else { throw .urlMismatch }
      let expectations = DPoPExpectations(
        target: target, accessToken: presented.token, keyThumbprint: thumbprint, nonces: self.acceptance.nonces?.good,
        maximumAge: self.acceptance.maximumAge, leeway: self.leeway)
      return try ValidatedDPoPProof(text, expecting: expectations, at: self.now())
    } catch {
      throw .proof(error)
    }
  }

  /// §11.1: a proof counts once.
  private func use(_ proof: ValidatedDPoPProof) async throws(AccessRefusal.Reason) {
    let mark = SHA256.hash(data: Array("\(proof.key.thumbprint)\n\(proof.identifier)".utf8))
    let isFirst: Bool
    do {
      // Beyond its end by as much as two clocks that look at it may differ.
      isFirst = try await self.acceptance.replays.use(Array(mark), until: proof.expiration + self.leeway)
    } catch {
      throw .replaysUnknown
    }
    guard isFirst else { throw .proofReplayed }
  }
}
