public import SallyportProtocol

/// An email message that waits to be sent.
///
/// The record is written in the transaction that causes the message, so that the message cannot be lost. The record is
/// removed when the message is sent, given up, or expired.
public struct MailRecord: Sendable, Equatable {
  /// An identifier that sorts by the creation time. It is also part of the `Message-ID`, which is therefore the same
  /// for each attempt to send the message.
  public var id: String
  /// The email address of the recipient.
  public var recipient: String
  /// The values from which the message is written, as JSON. They contain no secret.
  public var content: String
  /// The link in the message, encrypted with the server's master key; nil if the message contains no secret link.
  public var sealedLink: [UInt8]?
  /// The number of attempts to send the message that have begun.
  public var attempts: Int
  public var createdAt: Timestamp
  /// The time of the next attempt.
  public var dueAt: Timestamp
  /// The time at which the server gives up.
  public var expiresAt: Timestamp

  public init(
    id: String, recipient: String, content: String, sealedLink: [UInt8]? = nil, attempts: Int = 0, createdAt: Timestamp,
    dueAt: Timestamp, expiresAt: Timestamp
  ) {
    self.id = id
    self.recipient = recipient
    self.content = content
    self.sealedLink = sealedLink
    self.attempts = attempts
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.expiresAt = expiresAt
  }
}
