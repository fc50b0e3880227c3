public import SallyportProtocol

/// An account identifier, which is the `sub` of the account's tokens. It is opaque and never reused.
public struct AccountID: Hashable, Sendable, Codable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension AccountID {
  /// The prefix of every account identifier. Client identifiers must not start with this prefix, so that none can be
  /// mistaken for a user's `sub` (RFC 9700 §4.15).
  static var prefix: String { "acct-" }

  /// Returns an identifier for a new account.
  package static func random() -> AccountID {
    AccountID(rawValue: self.prefix + RandomText.base64URL(bits: 128))
  }
}

/// A client identifier (RFC 6749 §2.2).
public struct ClientID: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Whether the identifier consists of visible ASCII and spaces (RFC 6749 appendix A.1), like the identifiers of all
  /// clients. The server checks this before it looks up a client, because `String` compares by canonical equivalence:
  /// the Kelvin sign (U+212A) equals the letter K.
  var isWellFormed: Bool { self.rawValue.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

/// The identifier of a grant: a user's authorization of a client, to which codes and tokens belong.
///
/// Identifiers contain the creation time and the account's ``Shard``, in the ``GrantOrder`` of the store.
public struct GrantID: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Returns a prefix that sorts before the identifiers of all grants created at this time or later, and after the
  /// identifiers of earlier grants. It applies only to identifiers in the order ``GrantOrder/creation``.
  public static func lowerBound(_ time: Timestamp) -> String {
    OrderedID.lowerBound(time)
  }
}

/// The digest under which the store keeps an opaque credential, such as a code, refresh token, or session cookie: its
/// SHA-256 or, for the short user codes and recovery codes, its HMAC with SHA-256. The store does not contain the plain
/// text of these credentials.
public struct Fingerprint: Hashable, Sendable {
  /// The 32 bytes of the digest.
  public let bytes: [UInt8]
  /// - Precondition: `bytes` has 32 elements.
  public init(bytes: [UInt8]) {
    precondition(bytes.count == 32, "a fingerprint has 32 bytes")
    self.bytes = bytes
  }

  // Eight bytes of a digest are enough for a hash value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(self.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
  }
}
