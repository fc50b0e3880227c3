import SallyportProtocol

/// The device authorization endpoint (RFC 8628 §3.1): a device requests a code that its user enters on another device.
package struct DeviceAuthorizationEndpoint: Sendable {
  let requests: ClientRequests
  let store: any Store
  let userCodes: UserCodeFingerprints
  let configuration: ServerConfiguration
  let quota: SharedQuota
  let now: TimeSource

  /// The initial minimum time between two polls, in seconds (§3.2).
  package static var interval: Int { 5 }

  /// Responds to a request. For the parameters, see ``TokenEndpoint/respond(to:authorization:proofs:origin:from:)``.
  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], origin: AuditOrigin, from address: ClientAddress
  ) async throws(DeviceAuthorizationError) -> DeviceAuthorizationResponse {
    let request: ClientRequest
    do {
      request = try await self.requests.receive(
        FormParameters(clientRequest: body), authorization: authorization, proofs: proofs,
        at: EndpointPath.deviceAuthorization, origin: origin, from: address)
    } catch { throw .request(error) }
    let client = request.client.record
    try self.checkGrantType(client)
    let scope = try Self.scope(request.form["scope"], of: client)
    let resources: [String]
    do throws(ResourceError) {
      resources = try ResourceIndicators.validate(
        request.form.values(of: "resource"), by: client, known: self.configuration.resources)
    } catch { throw .resource(error) }
    guard self.configuration.offers(self.configuration.requiredLevel(of: client, for: scope)) else { throw .levelNotOffered }
    guard
      let admission = self.quota.admit(
        request.client, at: address, to: .deviceCodes(of: client.id), ifUnverified: .deviceCodesOfUnverifiedClients)
    else { throw .quotaExceeded }
    return try await self.issue(scope: scope, resources: resources, request.proof, to: client, admission)
  }

  /// Checks the grant type. A dynamic client may have been registered when the operator still allowed the device grant.
  private func checkGrantType(_ client: ClientRecord) throws(DeviceAuthorizationError) {
    let isAllowed = client.origin == .operator || self.configuration.registration.allowsDeviceGrant
    guard isAllowed, client.grantTypes.contains(.deviceCode) else { throw .grantTypeNotAllowed }
  }

  /// RFC 6749 §3.3: returns the requested scope, limited to the client's scope. Without the parameter, returns the
  /// client's scope except `offline_access`.
  static func scope(_ text: String?, of client: ClientRecord) throws(DeviceAuthorizationError) -> Scope {
    guard let text else { return client.scope.subtracting(.offlineAccess) }
    guard let requested = Scope(text) else { throw .scopeMalformed }
    let allowed = requested.intersection(client.scope)
    guard !allowed.isEmpty else { throw .scopeNotAllowed }
    return allowed
  }

  /// Creates a device code, unless the quota is used up or the DPoP proof was used before. There is a quota, because
  /// anyone can send requests in the name of a public client.
  private func issue(
    scope: Scope, resources: [String], _ proof: UnusedDPoPProof?, to client: ClientRecord, _ admission: SharedQuota.Admission
  ) async throws(DeviceAuthorizationError) -> DeviceAuthorizationResponse {
    let (now, code, userCode) = (self.now(), OpaqueToken.random(.deviceCode), UserCode.random())
    let lifetime = self.configuration.lifetimes.deviceCode
    // Only the code of a public client is bound to the DPoP key. A confidential client authenticates when it polls.
    let record = DeviceAuthorizationRecord(
      fingerprint: code.fingerprint, userCode: self.userCodes.fingerprint(of: userCode), client: client.id, scope: scope,
      resources: resources, jkt: client.isConfidential ? nil : proof?.jkt, interval: Self.interval, createdAt: now,
      expiresAt: now + lifetime)
    let failure: DeviceAuthorizationError?
    do {
      failure = try await self.store.write { (tx) throws(StoreError) -> DeviceAuthorizationError? in
        guard try admission.countUnlessReached(in: &tx, at: now) else { return .quotaExceeded }
        if let proof, try !proof.consume(in: &tx) { return .proofReplayed }
        try tx.insert(record)
        return nil
      }
    } catch { throw .storage(error) }
    if let failure { throw failure }
    return DeviceAuthorizationResponse(
      deviceCode: code.text, userCode: userCode, verificationURI: self.configuration.issuer.url(appending: EndpointPath.device),
      expiresIn: Int(lifetime.components.seconds), interval: Self.interval)
  }
}
