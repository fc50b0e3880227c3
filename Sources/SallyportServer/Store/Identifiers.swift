public import SallyportProtocol

/// An account's identifier: the `sub` of its tokens. Opaque, never reused.
public struct AccountID: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A client identifier, RFC 6749 §2.2.
public struct ClientID: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// Names one grant: one person's agreement with one client, with all tokens that came of it (the refresh token's family).
///
/// The server's own begin with the time when the grant was given, so that a store that keeps them in order keeps new ones together.
public struct GrantID: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sorts before the identifier of every grant that is given at this time or later, and after those of earlier ones.
  public static func bound(_ time: Timestamp) -> String {
    OrderedID.bound(time)
  }
}

/// The SHA-256 of an opaque credential: all that the store ever sees of what is secret in codes, refresh tokens and session cookies.
public struct Fingerprint: Hashable, Sendable {
  /// 32 bytes.
  public let bytes: [UInt8]
  /// - Precondition: `bytes` are the 32 bytes of a digest.
  public init(bytes: [UInt8]) {
    precondition(bytes.count == 32, "a fingerprint is a SHA-256 digest")
    self.bytes = bytes
  }

  /// A part of a digest tells digests apart as well as the whole.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(self.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
  }
}
