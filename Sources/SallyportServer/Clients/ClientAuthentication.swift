import SallyportProtocol
import SallyportRemote

/// A client whose credentials, if it has any, were checked. Only ``ClientAuthenticator`` makes one.
package struct AuthenticatedClient: Sendable {
  package let record: ClientRecord

  fileprivate init(_ record: ClientRecord) {
    self.record = record
  }

  /// The caller that a quota counts.
  ///
  /// Anyone can send requests in the name of a public client, and anyone can register a confidential one. Only the authentication of a
  /// client that an operator added tells callers apart.
  func caller(at address: ClientAddress) -> QuotaCaller {
    self.record.isConfidential && self.record.origin == .operator ? .authenticated : .anonymous(address)
  }
}

/// Tells who calls the token endpoint and its siblings.
package struct ClientAuthenticator: Sendable {
  let clients: ClientDocuments
  let keySets: ClientKeySets
  let store: any Store
  let issuer: Issuer
  let refusals: AuditRefusals
  let now: TimeSource

  /// - Parameters:
  ///   - endpoint: the path of the endpoint that is called, which an assertion may name as its audience.
  ///   - address: where the request comes from, for the budget of client documents.
  func authenticate(
    _ form: FormParameters, authorization: String?, at endpoint: String, from origin: AuditOrigin, address: ClientAddress
  ) async throws(TokenError) -> AuthenticatedClient {
    var named: ClientID?
    do throws(TokenError) {
      let presented = try PresentedCredentials(authorization: authorization, form: form)
      named = presented.clientID
      return try await self.authenticate(presented, at: endpoint, from: address)
    } catch {
      if let reason = AuditReason(error.reason) {
        // A name that no client has may be anything that somebody sends.
        let client = reason == .unknownClient ? nil : named
        self.refusals.note(.clientAuthenticationFailed, reason, client: client, from: origin)
      }
      throw error
    }
  }

  private func authenticate(
    _ presented: PresentedCredentials, at endpoint: String, from address: ClientAddress
  ) async throws(TokenError) -> AuthenticatedClient {
    let record: ClientRecord?
    // A document may have been withdrawn, or its leaked key; within its time this is one look into the cache, as for any client.
    do { record = try await self.clients.client(presented.clientID, for: address) } catch { throw TokenError(storage: error) }
    guard let record else { throw TokenError(.invalidClient, .clientUnknown) }
    switch presented.proof {
    case .none: try Self.checkWithoutProof(record)
    case .basic(let secret), .post(let secret): try Self.check(secret, of: record)
    case .assertion(let assertion): try await self.check(assertion, of: record, at: endpoint, from: address)
    }
    return AuthenticatedClient(record)
  }

  /// A public client proves nothing and needs nothing.
  static func checkWithoutProof(_ client: ClientRecord) throws(TokenError) {
    if client.isConfidential { throw TokenError(.invalidClient, .secretMissing) }
  }

  /// A client with a secret may send it in the header or in the body, whichever of the two it is registered with: some libraries redeem a
  /// code with one and refresh with the other, and neither proves more. A client that is registered with another method, or none, cannot
  /// fall back to a secret.
  static func check(_ secret: Secret<String>, of client: ClientRecord) throws(TokenError) {
    guard client.authenticationMethod.usesSecret else { throw TokenError(.invalidClient, .authenticationMethod) }
    guard let expected = client.secretFingerprint, constantTimeEqual(Fingerprint(of: secret).bytes, expected.bytes) else {
      throw TokenError(.invalidClient, .secretWrong)
    }
  }

  /// RFC 7523 §3: every claim, then the signature, then that nobody has used it before.
  private func check(
    _ assertion: ClientAssertion, of client: ClientRecord, at endpoint: String, from address: ClientAddress
  ) async throws(TokenError) {
    guard client.authenticationMethod == .privateKeyJWT else { throw TokenError(.invalidClient, .authenticationMethod) }
    let (header, now) = (assertion.jws.header, self.now())
    do throws(ClientAssertionError) {
      try assertion.check(of: client, issuer: self.issuer, endpoints: self.addresses(endpoint), at: now)
    } catch { throw TokenError(.invalidClient, .assertion(error)) }
    let key: VerificationKey
    do {
      key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm, for: address)
    } catch {
      throw TokenError(.invalidClient, .assertion(.key))
    }
    guard assertion.jws.isSigned(by: key) else { throw TokenError(.invalidClient, .assertion(.signature)) }
    let (mark, expires) = (assertion.useMark, assertion.forgettable)
    let isFirst: Bool
    do { isFirst = try await self.store.write { (tx) throws(StoreError) in try tx.useIdentifier(mark, expires: expires) } } catch
    {
      throw TokenError(storage: error)
    }
    guard isFirst else { throw TokenError(.invalidClient, .assertion(.replayed)) }
  }

  private func addresses(_ endpoint: String) -> [String] {
    Set([endpoint, EndpointPath.token]).map { self.issuer.url(appending: $0) }
  }
}
