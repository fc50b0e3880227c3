/// The sender of the server's mail.
package struct MailPolicy: Sendable {
  /// The address in `From`.
  package var from: EmailAddress
  /// The name in `From`; nil for the name of the server.
  package var name: String?

  package init(from: EmailAddress, name: String? = nil) {
    self.from = from
    self.name = name
  }
}
