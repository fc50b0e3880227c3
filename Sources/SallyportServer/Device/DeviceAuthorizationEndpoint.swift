import SallyportProtocol

/// The device authorization endpoint, RFC 8628 §3.1: a device without a browser asks for a code that a person enters elsewhere.
package struct DeviceAuthorizationEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let proofs: DPoPVerifier
  let store: any Store
  let userCodes: UserCodeFingerprints
  let configuration: ServerConfiguration
  let now: TimeSource

  /// The shortest time between two polls, in seconds (§3.2).
  package static var interval: Int { 5 }

  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], from origin: AuditOrigin
  ) async throws(TokenError) -> DeviceAuthorizationResponse {
    let form = try FormParameters(tokenRequest: body)
    let client = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.deviceAuthorization, from: origin
    ).record
    let key: String?
    do { key = try await self.proofs.key(provedBy: proofs, at: EndpointPath.deviceAuthorization) } catch {
      throw TokenError(error)
    }
    try self.checkGrantType(client)
    let scope = try Self.scope(form["scope"], of: client)
    let resources: [String]
    do throws(ResourceError) {
      resources = try ResourceIndicators.requested(form.values(of: "resource"), by: client, known: self.configuration.resources)
    } catch { throw TokenError(.invalidTarget, .resource(error)) }
    return try await self.issue(scope: scope, resources: resources, key: key, to: client)
  }

  /// A client that registered itself may have done so while the operator allowed it the device grant.
  private func checkGrantType(_ client: ClientRecord) throws(TokenError) {
    let isAllowed = client.origin == .operator || self.configuration.registration.allowsDeviceGrant
    guard isAllowed, client.grantTypes.contains(.deviceCode) else {
      throw TokenError(.unauthorizedClient, .grantTypeNotAllowed)
    }
  }

  /// RFC 6749 §3.3, as at the authorization endpoint.
  static func scope(_ text: String?, of client: ClientRecord) throws(TokenError) -> Scope {
    guard let text else { return client.scope.subtracting(.offlineAccess) }
    guard let requested = Scope(text) else { throw TokenError(.invalidScope, .scopeMalformed) }
    let allowed = requested.intersection(client.scope)
    guard !allowed.isEmpty else { throw TokenError(.invalidScope, .scopeExceedsGrant) }
    return allowed
  }

  /// Anybody may ask in a public client's name, so the rows that this makes have a quota and an end.
  private func issue(
    scope: Scope, resources: [String], key: String?, to client: ClientRecord
  ) async throws(TokenError) -> DeviceAuthorizationResponse {
    let (now, code, userCode) = (self.now(), OpaqueToken.random(.deviceCode), UserCode.random())
    let lifetime = self.configuration.lifetimes.deviceCode
    let record = DeviceAuthorizationRecord(
      fingerprint: code.fingerprint, userCode: self.userCodes.fingerprint(of: userCode), client: client.id, scope: scope,
      resources: resources, boundKey: client.isConfidential ? nil : key, interval: Self.interval, createdAt: now,
      expiresAt: now + lifetime)
    let (mark, quota) = (RequestQuota.mark("device", client.id), self.configuration.requestsPerMinute)
    let isWithinQuota: Bool
    do {
      isWithinQuota = try await self.store.write { (tx) throws(StoreError) in
        guard try tx.countAttempt(mark, window: RequestQuota.window, at: now) <= quota else { return false }
        try tx.insert(record)
        return true
      }
    } catch { throw TokenError(storage: error) }
    guard isWithinQuota else { throw TokenError(.temporarilyUnavailable, .quotaExceeded) }
    return DeviceAuthorizationResponse(
      deviceCode: code.text, userCode: userCode, page: self.configuration.issuer.url(appending: EndpointPath.device),
      expiresIn: Int(lifetime.components.seconds), interval: Self.interval)
  }
}

/// How much a client may leave behind in a minute, where anybody may ask in its name.
enum RequestQuota {
  static var window: Duration { .seconds(60) }

  static func mark(_ what: String, _ client: ClientID) -> Fingerprint {
    Fingerprint(of: Secret("quota\n\(what)\n\(client.rawValue)"))
  }
}
