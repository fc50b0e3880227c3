/// Sends mail.
package protocol MailTransport: Sendable {
  /// Sends a message.
  /// - Parameter message: The message with its header. The recipient is in the header field `To`.
  /// - Throws: ``MailTransportError`` if the message was not accepted. The server then tries again until the message
  ///   expires.
  func send(_ message: [UInt8]) async throws(MailTransportError)
}

/// Why a message was not accepted. The reason is for the operator, and contains no address, text, or link of the
/// message.
package struct MailTransportError: Error, Equatable, Sendable {
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }
}
