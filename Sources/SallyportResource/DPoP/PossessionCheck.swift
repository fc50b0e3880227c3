import Crypto
import HTTPTypes
import SallyportProtocol

/// Checks that the sender of a token has the key to which the token is bound (RFC 9449 §7).
struct PossessionCheck: Sendable {
  let acceptance: DPoPAcceptance
  /// The scheme, host, and port of the API's URL as clients see it.
  let origin: String
  /// How much the clocks of the client and of this server may differ.
  let leeway: Duration
  let now: TimeSource

  func check(
    _ presented: PresentedAccessToken, of token: VerifiedAccessToken, in request: HTTPRequest
  ) async throws(AccessError.Reason) {
    guard let thumbprint = try self.boundKeyThumbprint(of: token, presented.scheme) else { return }
    let proof = try self.proof(for: presented, in: request, boundTo: thumbprint)
    try await self.consume(proof)
  }

  /// The thumbprint of the key to which the token is bound, or `nil` for a bearer token. A bound token must not be sent
  /// as a bearer token (§7.2), and a bearer token must not be sent with the `DPoP` scheme.
  private func boundKeyThumbprint(
    of token: VerifiedAccessToken, _ scheme: PresentedAccessToken.Scheme
  ) throws(AccessError.Reason) -> String? {
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
  ) throws(AccessError.Reason) -> ValidatedDPoPProof {
    guard !request.headerFields[values: .dpop].isEmpty else { throw .proofMissing }
    do throws(DPoPProofError) {
      // The text is never nil, because the guard above found the field.
      guard let text = try DPoPProof.proof(in: request.headerFields),
        // The query and the fragment do not matter (§4.3), and clients may send characters in them that a URI must not
        // contain.
        case let path = (request.path ?? "/").prefix(while: { $0 != "?" && $0 != "#" }),
        // The path must begin with a slash, because any other text after the origin could change the URL's host.
        path.utf8.first == UInt8(ascii: "/"),
        let target = DPoPTarget(method: request.method.rawValue, url: self.origin + path)
      else { throw .urlMismatch }
      let expectations = DPoPExpectations(
        target: target, accessToken: presented.token, keyThumbprint: thumbprint, nonces: self.acceptance.nonces?.valid,
        maximumAge: self.acceptance.maximumAge, leeway: self.leeway)
      return try ValidatedDPoPProof(text, expecting: expectations, at: self.now())
    } catch {
      throw .proof(error)
    }
  }

  /// Records the proof, which can be used only once (§11.1).
  private func consume(_ proof: ValidatedDPoPProof) async throws(AccessError.Reason) {
    let mark = SHA256.hash(data: Array("\(proof.key.thumbprint)\n\(proof.identifier)".utf8))
    let isFirst: Bool
    do {
      // The store keeps the proof until the leeway has passed too, because processes that share the store can have
      // different clocks.
      isFirst = try await self.acceptance.replays.use(Array(mark), until: proof.expiration + self.leeway)
    } catch {
      throw .replaysUnknown(cause: "\(error)")
    }
    guard isFirst else { throw .proofReplayed }
  }
}
