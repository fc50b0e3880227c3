import SallyportProtocol
import SallyportRemote

/// A client that was identified, and authenticated if it is confidential. Only ``ClientAuthenticator`` creates one.
package struct AuthenticatedClient: Sendable {
  package let record: ClientRecord

  fileprivate init(_ record: ClientRecord) {
    self.record = record
  }

  /// The caller to whom a quota attributes the request.
  ///
  /// Anyone can send requests in the name of a public client, and anyone can register a confidential one. Only a
  /// confidential client that an operator added counts as authenticated.
  func caller(at address: ClientAddress) -> QuotaCaller {
    self.record.isConfidential && self.record.origin == .operator ? .authenticated : .anonymous(address)
  }
}

/// Authenticates the client that calls the token endpoint or another endpoint for clients.
package struct ClientAuthenticator: Sendable {
  let clients: ClientDocuments
  let keySets: ClientKeySets
  let store: any Store
  let issuer: Issuer
  let rejections: AuditRejections
  let now: TimeSource

  /// Authenticates the client of a request.
  /// - Parameters:
  ///   - authorization: The value of the `Authorization` header field.
  ///   - endpoint: The path of the endpoint, relative to the issuer. An assertion may name the URL of this endpoint
  ///     as its audience.
  ///   - address: The client address of the request. If the client's metadata document or key set must be fetched,
  ///     the fetch may count toward this address's share of the ``FetchBudget``.
  func authenticate(
    _ form: FormParameters, authorization: String?, at endpoint: String, origin: AuditOrigin, from address: ClientAddress
  ) async throws(ClientAuthenticationError) -> AuthenticatedClient {
    var claimedID: ClientID?
    do throws(ClientAuthenticationError) {
      let presented = try PresentedCredentials(authorization: authorization, form: form)
      claimedID = presented.clientID
      return try await self.authenticate(presented, at: endpoint, from: address)
    } catch {
      if let reason = AuditReason(error) {
        // An unknown client ID may be any text, so it is not recorded.
        let client = reason == .unknownClient ? nil : claimedID
        self.rejections.note(.clientAuthenticationFailed, reason, client: client, from: origin)
      }
      throw error
    }
  }

  private func authenticate(
    _ presented: PresentedCredentials, at endpoint: String, from address: ClientAddress
  ) async throws(ClientAuthenticationError) -> AuthenticatedClient {
    let record: ClientRecord?
    // Reads a client's metadata document again if the cached copy has expired, because a key may have been withdrawn.
    do { record = try await self.clients.client(presented.clientID, for: address) } catch { throw .storage(error) }
    guard let record else { throw .clientUnknown }
    switch presented.proof {
    case .none: try Self.checkWithoutProof(record)
    case .basic(let secret), .post(let secret): try Self.check(secret, of: record)
    case .assertion(let assertion): try await self.check(assertion, of: record, at: endpoint, from: address)
    }
    return AuthenticatedClient(record)
  }

  /// Rejects a confidential client that does not authenticate.
  static func checkWithoutProof(_ client: ClientRecord) throws(ClientAuthenticationError) {
    if client.isConfidential { throw .secretMissing }
  }

  /// Checks a client secret.
  ///
  /// A client that is registered with either secret method may send the secret in the header or in the body: some
  /// libraries use one to redeem a code and the other to refresh, and both are equally secure. A client that is
  /// registered with any other method cannot use a secret.
  static func check(_ secret: Secret<String>, of client: ClientRecord) throws(ClientAuthenticationError) {
    guard client.authenticationMethod.usesSecret else { throw .wrongMethod }
    guard let expected = client.secretFingerprint, constantTimeEqual(Fingerprint(of: secret).bytes, expected.bytes) else {
      throw .secretWrong
    }
  }

  /// RFC 7523 §3: checks the claims, then the signature, and then that the assertion was not used before.
  private func check(
    _ assertion: ClientAssertion, of client: ClientRecord, at endpoint: String, from address: ClientAddress
  ) async throws(ClientAuthenticationError) {
    guard client.authenticationMethod == .privateKeyJWT else { throw .wrongMethod }
    let (header, now) = (assertion.jws.header, self.now())
    do throws(ClientAssertionError) {
      try assertion.check(of: client, issuer: self.issuer, endpoints: self.audienceURLs(of: endpoint), at: now)
    } catch { throw .assertion(error) }
    let key: VerificationKey
    do {
      key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm, for: address)
    } catch {
      throw .assertion(.key)
    }
    guard assertion.jws.isSigned(by: key) else { throw .assertion(.signature) }
    let (fingerprint, expires) = (assertion.replayFingerprint, assertion.replayExpiration)
    let isFirst: Bool
    do {
      isFirst = try await self.store.write { (tx) throws(StoreError) in try tx.consumeIdentifier(fingerprint, expires: expires) }
    } catch { throw .storage(error) }
    guard isFirst else { throw .assertion(.replayed) }
  }

  /// Returns the URLs that an assertion may name as its audience, besides the issuer: the URLs of this endpoint and of
  /// the token endpoint.
  private func audienceURLs(of endpoint: String) -> [String] {
    Set([endpoint, EndpointPath.token]).map { self.issuer.url(appending: $0) }
  }
}
