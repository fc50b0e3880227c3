import SallyportProtocol

/// The device authorization endpoint (RFC 8628 §3.1): a device requests a code that its user enters on another device.
package struct DeviceAuthorizationEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let proofs: DPoPVerifier
  let store: any Store
  let userCodes: UserCodeFingerprints
  let configuration: ServerConfiguration
  let quota: SharedQuota
  let now: TimeSource

  /// The minimum time between two polls, in seconds (§3.2).
  package static var interval: Int { 5 }

  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], from origin: AuditOrigin, at address: ClientAddress
  ) async throws(TokenError) -> DeviceAuthorizationResponse {
    let form = try FormParameters(tokenRequest: body)
    let authenticated = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.deviceAuthorization, from: origin, address: address)
    let client = authenticated.record
    let proof: UnusedDPoPProof?
    do { proof = try self.proofs.check(proofs, at: EndpointPath.deviceAuthorization) } catch { throw TokenError(error) }
    try self.checkGrantType(client)
    let scope = try Self.scope(form["scope"], of: client)
    let resources: [String]
    do throws(ResourceError) {
      resources = try ResourceIndicators.requested(form.values(of: "resource"), by: client, known: self.configuration.resources)
    } catch { throw TokenError(.invalidTarget, .resource(error)) }
    guard
      let admission = self.quota.admit(
        authenticated, at: address, to: .deviceCodes(of: client.id), withoutOperator: .deviceCodesWithoutOperator)
    else { throw Self.quotaExceeded }
    return try await self.issue(scope: scope, resources: resources, proof, to: client, admission)
  }

  private static var quotaExceeded: TokenError { TokenError(.temporarilyUnavailable, .quotaExceeded) }

  /// Checks the grant type. A dynamic client may have been registered when the operator still allowed the device grant.
  private func checkGrantType(_ client: ClientRecord) throws(TokenError) {
    let isAllowed = client.origin == .operator || self.configuration.registration.allowsDeviceGrant
    guard isAllowed, client.grantTypes.contains(.deviceCode) else {
      throw TokenError(.unauthorizedClient, .grantTypeNotAllowed)
    }
  }

  /// RFC 6749 §3.3: returns the requested scope, limited to the client's scope.
  static func scope(_ text: String?, of client: ClientRecord) throws(TokenError) -> Scope {
    guard let text else { return client.scope.subtracting(.offlineAccess) }
    guard let requested = Scope(text) else { throw TokenError(.invalidScope, .scopeMalformed) }
    let allowed = requested.intersection(client.scope)
    guard !allowed.isEmpty else { throw TokenError(.invalidScope, .scopeExceedsGrant) }
    return allowed
  }

  /// Creates a device code within the quota, because anyone can send requests in the name of a public client.
  private func issue(
    scope: Scope, resources: [String], _ proof: UnusedDPoPProof?, to client: ClientRecord, _ admission: SharedQuota.Admission
  ) async throws(TokenError) -> DeviceAuthorizationResponse {
    let (now, code, userCode) = (self.now(), OpaqueToken.random(.deviceCode), UserCode.random())
    let lifetime = self.configuration.lifetimes.deviceCode
    let record = DeviceAuthorizationRecord(
      fingerprint: code.fingerprint, userCode: self.userCodes.fingerprint(of: userCode), client: client.id, scope: scope,
      resources: resources, boundKey: client.isConfidential ? nil : proof?.key, interval: Self.interval, createdAt: now,
      expiresAt: now + lifetime)
    let refusal: TokenError?
    do {
      refusal = try await self.store.write { (tx) throws(StoreError) -> TokenError? in
        guard try admission.count(in: &tx, at: now) else { return Self.quotaExceeded }
        if let proof, try !proof.use(in: &tx) { return TokenError(.replayed) }
        try tx.insert(record)
        return nil
      }
    } catch { throw TokenError(storage: error) }
    if let refusal { throw refusal }
    return DeviceAuthorizationResponse(
      deviceCode: code.text, userCode: userCode, page: self.configuration.issuer.url(appending: EndpointPath.device),
      expiresIn: Int(lifetime.components.seconds), interval: Self.interval)
  }
}
