public import SallyportProtocol

/// A passkey of an account: a *credential record* of Web Authentication Level 3 §4.
public struct PasskeyRecord: Sendable, Equatable {
  /// The credential ID, from 1 to 1,023 bytes.
  public var id: [UInt8]
  public var account: AccountID
  /// The RP ID for which the passkey was created. The passkey cannot be used with another RP ID.
  public var relyingPartyID: String
  /// The public key as a `COSE_Key` (RFC 9052 §7).
  public var publicKey: [UInt8]
  /// The 16 bytes that identify the authenticator's model. All are zero if the authenticator does not reveal its model.
  public var aaguid: [UInt8]
  /// Whether a certificate of the authenticator's manufacturer proves the model.
  public var isAttested: Bool
  /// The signature counter of the last use; 0 if the authenticator has no counter.
  public var signatureCount: Int64
  /// How browsers reach the authenticator, such as `internal` or `usb`.
  public var transports: [String]
  /// Whether the authenticator may copy the passkey to other devices. This never changes.
  public var isBackupEligible: Bool
  public var isBackedUp: Bool
  /// The name that the user chose.
  public var name: String
  public var createdAt: Timestamp
  /// Nil if the passkey has not been used since it was created.
  public var lastUsedAt: Timestamp?

  public init(
    id: [UInt8], account: AccountID, relyingPartyID: String, publicKey: [UInt8], aaguid: [UInt8], isAttested: Bool = false,
    signatureCount: Int64, transports: [String] = [], isBackupEligible: Bool, isBackedUp: Bool, name: String,
    createdAt: Timestamp, lastUsedAt: Timestamp? = nil
  ) {
    self.id = id
    self.account = account
    self.relyingPartyID = relyingPartyID
    self.publicKey = publicKey
    self.aaguid = aaguid
    self.isAttested = isAttested
    self.signatureCount = signatureCount
    self.transports = transports
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.name = name
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}
