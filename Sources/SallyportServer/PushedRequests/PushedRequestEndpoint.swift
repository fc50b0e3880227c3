package import SallyportProtocol

/// The pushed authorization request endpoint (RFC 9126 §2).
package struct PushedRequestEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let proofs: DPoPVerifier
  let parser: AuthorizationRequestParser
  let requests: PushedRequests
  let lifetimes: Lifetimes

  /// The parameters that authenticate the client. They are not part of the authorization request.
  private static var credentials: Set<String> { ["client_secret", "client_assertion", "client_assertion_type"] }

  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], from origin: AuditOrigin, at address: ClientAddress
  ) async throws(TokenError) -> PushedResponseJSON {
    let form = try FormParameters(tokenRequest: body)
    let authenticated = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.pushedRequest, from: origin, address: address)
    let client = authenticated.record
    let proof: UnusedDPoPProof?
    do { proof = try self.proofs.check(proofs, at: EndpointPath.pushedRequest) } catch { throw TokenError(error) }
    try Self.checkNoRequestURI(form)
    let parameters = FormParameters(
      [("client_id", client.id.rawValue)] + form.all.filter { !Self.credentials.contains($0.name) },
      repeatable: ResourceIndicators.parameter)
    let resolved: FormParameters
    do throws(AuthorizeError) {
      let request = try await self.parser.parsePushed(parameters, of: client, from: address)
      resolved = try Self.bound(request.form, to: proof?.key)
    } catch { throw TokenError(pushed: error) }
    let uri: String
    do { uri = try await self.requests.keep(resolved, of: authenticated, proof, from: address) } catch { throw TokenError(error) }
    return PushedResponseJSON(requestURI: uri, expiresIn: Int(self.lifetimes.pushedRequest.components.seconds))
  }

  /// RFC 9126 §2.1: `request_uri` must not be pushed.
  static func checkNoRequestURI(_ form: FormParameters) throws(TokenError) {
    guard form["request_uri"] == nil else { throw TokenError(.invalidRequest, .requestURIPushed) }
  }

  /// RFC 9449 §10.1: the code is bound to the key of the DPoP proof. A `dpop_jkt` in the request must name the same
  /// key.
  static func bound(_ form: FormParameters, to key: String?) throws(AuthorizeError) -> FormParameters {
    guard let key else { return form }
    guard form["dpop_jkt"].map({ $0 == key }) ?? true else { throw .page(.keyMismatch) }
    return FormParameters([("dpop_jkt", key)] + form.all, repeatable: ResourceIndicators.parameter)
  }
}

extension TokenError {
  fileprivate init(_ refusal: PushedRequests.Refusal) {
    switch refusal {
    case .quota: self.init(.temporarilyUnavailable, .quotaExceeded)
    case .proofReplayed: self.init(.replayed)
    case .storage(let error): self.init(storage: error)
    }
  }

  /// RFC 9126 §2.3: the endpoint reports the same errors as the authorization endpoint.
  init(pushed error: AuthorizeError) {
    switch error {
    case .redirect(_, let code, let reason): self.init(code, .pushed(reason))
    case .page(.unvouchedRedirect(let code)): self.init(code, .pushedPage(.unvouchedRedirect(code)))
    case .page(.storage(let error)): self.init(storage: error)
    case .page(.requestObjectInvalid(let error)): self.init(error.code, .pushedPage(.requestObjectInvalid(error)))
    case .page(.keyMismatch): self.init(.invalidDPoPProof, .pushedPage(.keyMismatch))
    case .page(let reason): self.init(.invalidRequest, .pushedPage(reason))
    }
  }
}
