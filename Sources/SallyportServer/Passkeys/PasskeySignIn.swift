package import SallyportProtocol
import SallyportWebAuthn

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs users in with passkeys (Web Authentication Level 3 §7.2).
package struct PasskeySignIn: Sendable {
  let store: any Store
  let relyingParty: RelyingParty
  let attestation: AttestationPolicy
  let challenges: PasskeyChallenges
  let sessions: BrowserSessions
  let browsers: KnownBrowsers
  let rejections: AuditRejections
  let now: TimeSource

  package enum Outcome: Sendable {
    /// - Parameters:
    ///   - session: The new session cookie.
    ///   - browser: The new cookie of ``KnownBrowsers``; nil on a public device, which must not become known, or if the
    ///     cookie cannot be sealed.
    case success(AccountRecord, session: SessionCookie, browser: Secret<String>?)
    /// The passkey is unknown, the browser's response is invalid or was used before, the signature counter indicates a
    /// copy of the passkey, or the account is disabled or has changed. The user does not learn which.
    /// - Parameter reason: The reason for the log, which contains no part of the response; nil if only the audit trail
    ///   has it.
    case rejected(reason: String?)
    /// The passkey belongs to an account other than the expected one.
    case otherUser
    /// The challenge has expired, or belongs to another interaction.
    case expired
  }

  /// Returns the form for a page; nil if a challenge cannot be sealed.
  ///
  /// The form names no passkeys, so that nobody can find out which accounts exist.
  /// - Parameter interaction: The identifier of the interaction to which the challenge is bound.
  package func form(interaction: String) -> PasskeyForm? {
    guard let (challenge, sealed) = self.challenges.issue(for: .signIn(interaction: interaction)),
      let options = try? JSONEncoder().encode(self.relyingParty.requestOptions(challenge: challenge.bytes))
    else { return nil }
    return PasskeyForm(options: String(decoding: options, as: UTF8.self), challenge: sealed)
  }

  /// Verifies the browser's response, and starts a session.
  /// - Parameters:
  ///   - response: The JSON of `PublicKeyCredential.toJSON()`.
  ///   - sealed: The challenge of ``PasskeyForm``.
  ///   - interaction: The identifier of the interaction for which the form was shown.
  ///   - expected: The only account that is accepted; nil to accept any.
  package func run(
    response: String, challenge sealed: Secret<String>, interaction: String, for expected: AccountID? = nil,
    _ browser: SignInBrowser, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard let challenge = self.challenges.open(sealed, for: .signIn(interaction: interaction)) else { return .expired }
    let credential: AssertionResponse
    do throws(WebAuthnError) {
      credential = try AssertionResponse(json: Array(response.utf8))
    } catch { return self.reject(nil, .wrongPasskey, origin, error: error) }
    let found = try await self.store.read { (tx) throws(StoreError) -> (PasskeyRecord, AccountRecord)? in
      guard let passkey = try tx.passkey(credential.credentialID), let account = try tx.account(passkey.account) else {
        return nil
      }
      return (passkey, account)
    }
    guard let (passkey, account) = found else { return self.reject(nil, .unknownPasskey, origin) }
    let assertion: VerifiedAssertion
    do throws(WebAuthnError) {
      assertion = try self.verify(credential, challenge, passkey)
    } catch { return self.reject(account, .wrongPasskey, origin, error: error) }
    guard account.disabledAt == nil else { return self.reject(account, .accountDisabled, origin) }
    if let expected, account.id != expected { return .otherUser }

    let now = self.now()
    let methods = self.isAttested(passkey) ? AuthenticationContext.attestedPasskey : AuthenticationContext.passkey
    let cookie = try await self.sessions.start(
      for: account, by: methods, replacing: browser.sessionCookie, from: origin, userAgent: browser.userAgent,
      isOnPublicDevice: browser.isOnPublicDevice
    ) {
      (tx) throws(StoreError) -> AuditReason? in
      guard try challenge.consume(in: &tx) else { return .passkeyReplayed }
      let isUsed = try tx.usePasskey(
        passkey.id, signatureCount: Int64(assertion.signCount), isBackupEligible: assertion.isBackupEligible,
        isBackedUp: assertion.isBackedUp, at: now)
      return isUsed ? nil : .passkeyCopied
    }
    // `start` has recorded why it did not start the session.
    guard let cookie else { return .rejected(reason: nil) }
    let knownBrowser = self.browsers.open(browser.knownBrowserCookie)
    return .success(
      account, session: cookie, browser: cookie.isOnPublicDevice ? nil : self.browsers.seal(adding: account, to: knownBrowser))
  }

  /// - Throws: ``WebAuthnError`` if the response is invalid or does not name the passkey's user, or the passkey has
  ///   another RP ID.
  private func verify(
    _ response: AssertionResponse, _ challenge: PasskeyChallenges.Challenge, _ passkey: PasskeyRecord
  ) throws(WebAuthnError) -> VerifiedAssertion {
    // Without a list of allowed credentials, the response must name the user (Web Authentication Level 3 §7.2 step 6).
    guard response.userHandle == Array(passkey.account.rawValue.utf8) else { throw .userHandleMismatch }
    guard passkey.relyingPartyID == self.relyingParty.id else { throw .relyingPartyMismatch }
    // Only phrh depends on the backup eligibility. An attested authenticator does not change it.
    let stored = StoredCredential(
      id: passkey.id, publicKey: passkey.publicKey, signCount: UInt32(clamping: passkey.signatureCount),
      isBackupEligible: passkey.isAttested ? passkey.isBackupEligible : nil)
    return try self.relyingParty.verifyAuthentication(response, challenge: challenge.bytes, credential: stored)
  }

  /// Whether the passkey was attested when it was added, and the operator still allows its model. The operator may have
  /// removed the model since then, for example because its keys can be copied.
  private func isAttested(_ passkey: PasskeyRecord) -> Bool {
    guard passkey.isAttested, case .required(let trusted) = self.attestation else { return false }
    return trusted.aaguids.contains { $0.bytes == passkey.aaguid }
  }

  private func reject(
    _ account: AccountRecord?, _ reason: AuditReason, _ origin: AuditOrigin, error: WebAuthnError? = nil
  ) -> Outcome {
    self.rejections.note(.signInRejected, reason, account: account?.id, from: origin)
    return .rejected(reason: error?.rawValue ?? reason.rawValue)
  }
}
