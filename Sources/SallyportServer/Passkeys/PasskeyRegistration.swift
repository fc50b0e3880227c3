package import SallyportProtocol
import SallyportWebAuthn

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Adds passkeys for a signed-in user (Web Authentication Level 3 §7.1), and renames and removes them.
package struct PasskeyRegistration: Sendable {
  let store: any Store
  let relyingParty: RelyingParty
  let attestation: AttestationPolicy
  /// The name of the server, which authenticators show.
  let serverName: String
  let challenges: PasskeyChallenges
  let codes: RecoveryCodes
  let changePolicy: SensitiveChangePolicy
  let now: TimeSource

  /// The maximum number of passkeys of an account.
  package static var maximum: Int { 20 }
  /// The maximum number of bytes in the stored name of a passkey.
  private static var maximumNameSize: Int { 256 }

  package enum Outcome: Sendable {
    /// - Parameter recoveryCodes: New recovery codes for the account; nil if the account still has unused ones.
    case added(recoveryCodes: [RecoveryCode]?)
    /// The challenge has expired, was used before, or belongs to another session; the session has ended; or the account
    /// is disabled.
    case expired
    /// The browser's response is invalid, or the authenticator is not accepted (``AttestationPolicy``).
    /// - Parameter reason: The reason for the log, which contains no part of the response.
    case invalid(reason: String)
    /// The passkey exists already.
    case duplicate
    /// The account has ``PasskeyRegistration/maximum`` passkeys.
    case tooMany
    /// The user must sign in again (``SensitiveChangePolicy``).
    case signInNeeded
  }

  /// Returns the form for a page; nil if a challenge cannot be sealed.
  /// - Parameter existing: The passkeys of the account. The browser does not create another passkey on an authenticator
  ///   that has one of them.
  package func form(for session: BrowserSessions.Active, existing: [PasskeyRecord]) -> PasskeyForm? {
    guard let (challenge, sealed) = self.challenges.issue(for: .registration(session: session.record.fingerprint)) else {
      return nil
    }
    // A user handle must not contain personal data (Web Authentication Level 3 §14.6.1). The identifier of an account
    // is random, and never reused.
    let user = PublicKeyCredentialCreationOptionsJSON.UserEntity(
      id: Array(session.account.id.rawValue.utf8), name: session.account.username.value,
      displayName: session.account.name ?? session.account.username.value)
    let options = self.relyingParty.creationOptions(
      name: self.serverName, user: user, challenge: challenge.bytes,
      excluding: existing.filter { $0.relyingPartyID == self.relyingParty.id }.map {
        PublicKeyCredentialDescriptorJSON(id: $0.id, transports: $0.transports)
      }, attestation: self.attestation)
    guard let json = try? JSONEncoder().encode(options) else { return nil }
    return PasskeyForm(options: String(decoding: json, as: UTF8.self), challenge: sealed)
  }

  /// Verifies the browser's response, and stores the passkey.
  /// - Parameters:
  ///   - response: The JSON of `PublicKeyCredential.toJSON()`.
  ///   - sealed: The challenge of ``PasskeyForm``.
  ///   - name: The name of the new passkey.
  ///   - session: The user's session. It must meet ``SensitiveChangePolicy``.
  package func add(
    response: String, challenge sealed: Secret<String>, name: String, session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard let challenge = self.challenges.open(sealed, for: .registration(session: session.record.fingerprint)) else {
      return .expired
    }
    let credential: RegisteredCredential
    do throws(WebAuthnError) {
      let response = try AttestationResponse(json: Array(response.utf8))
      credential = try await self.relyingParty.verifyRegistration(
        response, challenge: challenge.bytes, attestation: self.attestation, at: self.now())
    } catch { return .invalid(reason: error.rawValue) }
    let (now, account) = (self.now(), session.account.id)
    let passkey = PasskeyRecord(
      id: credential.id, account: account, relyingPartyID: self.relyingParty.id, publicKey: credential.publicKey,
      aaguid: credential.aaguid.bytes, isAttested: credential.attestation != .none, signatureCount: Int64(credential.signCount),
      transports: credential.transports.filter(Self.isToken), isBackupEligible: credential.isBackupEligible,
      isBackedUp: credential.isBackedUp, name: Self.storable(name), createdAt: now)
    let (fingerprint, changePolicy, codes) = (session.record.fingerprint, self.changePolicy, self.codes)
    let newCodes = RecoveryCodes.random()
    return try await self.store.write { (tx) throws(StoreError) -> Outcome in
      let live: BrowserSessionRecord
      switch try changePolicy.permission(tx, session: fingerprint, at: now) {
      case .granted(let session, _): live = session
      case .signInNeeded: return .signInNeeded
      case .signedOut: return .expired
      }
      // First, so that a browser that lost the response to its first request learns that the passkey was added.
      guard try tx.passkey(passkey.id) == nil else { return .duplicate }
      guard try challenge.consume(in: &tx) else { return .expired }
      guard try tx.passkeys(of: account).count < Self.maximum else { return .tooMany }
      try tx.insert(passkey)
      try tx.insert(AuditRecord(.passkeyAdded, account: account, session: live.id, from: origin, at: now))
      let areStored = try codes.addFirst(newCodes, to: account, session: live.id, from: origin, at: now, in: &tx)
      return .added(recoveryCodes: areStored ? newCodes : nil)
    }
  }

  /// - Parameter id: The credential ID of the passkey.
  package func rename(
    _ id: [UInt8], session: BrowserSessions.Active, to name: String
  ) async throws(StoreError) -> ChangeOutcome {
    let name = Self.storable(name)
    return try await self.store.change(session, by: self.changePolicy, at: self.now()) { (tx, _, account) throws(StoreError) in
      try tx.renamePasskey(id, of: account.id, to: name) ? .done : .nothingToDo
    }
  }

  /// Removes a passkey, and the recovery codes too if the account has no other factor left. Does not remove the last
  /// way to sign in.
  /// - Parameter id: The credential ID of the passkey.
  package func remove(
    _ id: [UInt8], session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> ChangeOutcome {
    let now = self.now()
    return try await self.store.change(session, by: self.changePolicy, at: now) {
      [changePolicy] (tx, live, account) throws(StoreError) in
      guard try tx.passkey(id)?.account == account.id else { return .nothingToDo }
      guard try changePolicy.permitsSignIn(tx, to: account, withoutPasskey: id) else { return .notAllowed }
      let recorded = try tx.record(AuditRecord(.passkeyRemoved, account: account.id, session: live.id, from: origin, at: now))
      guard try tx.removePasskey(id, of: account.id, recorded) else { return .nothingToDo }
      try RecoveryCodes.removeWithoutFactor(
        of: account.id, changePolicy, session: live.id, from: origin, at: now, in: &tx)
      return .done
    }
  }

  /// Whether a transport consists of lowercase letters and hyphens. Other transports are not stored, because the
  /// transports of a passkey are in one column, separated by spaces.
  private static func isToken(_ transport: String) -> Bool {
    !transport.isEmpty && transport.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x61...0x7A).contains($0) }
  }

  /// Returns a name in the form in which it is stored; "Passkey" if nothing of the name remains.
  private static func storable(_ name: String) -> String {
    StorableText.clean(name, maximumBytes: self.maximumNameSize) ?? "Passkey"
  }
}
