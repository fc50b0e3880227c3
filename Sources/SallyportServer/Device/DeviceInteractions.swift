package import SallyportProtocol

/// The state of a device sign-in between the entry of the user code and the user's decision. Like an ``Interaction``,
/// it is encrypted in the URL.
package struct DeviceInteraction: Sendable, Codable {
  /// An identifier for CSRF tokens.
  package let id: String
  /// The eight letters of the user code, without the hyphen.
  package let userCode: String
  /// The identifier of the account for which ``DeviceVerification/find(_:for:)`` found a device; nil before that. For
  /// this account, the device is shown again without another lookup that counts toward the limit on wrong codes.
  package let foundByAccount: String?
  package let expiresAt: Timestamp

  package var code: UserCode? { UserCode(self.userCode) }
}

/// Creates, seals, and opens device interactions.
package struct DeviceInteractions: Sendable {
  let sealer: Sealer
  let lifetime: Duration
  let now: TimeSource

  private static var context: String { "device interaction" }

  /// - Parameter account: The account for which a device was found, if any.
  package func seal(_ code: UserCode, foundBy account: AccountID? = nil) throws(AuthorizeError) -> String {
    let value = DeviceInteraction(
      id: RandomText.base64URL(bits: 128), userCode: code.letters, foundByAccount: account?.rawValue,
      expiresAt: self.now() + self.lifetime)
    guard let sealed = self.sealer.sealJSON(value, context: Self.context) else { throw .page(.interactionInvalid) }
    return sealed
  }

  /// - Throws: ``AuthorizeError/page(_:)``
  package func open(_ text: String) throws(AuthorizeError) -> (interaction: DeviceInteraction, code: UserCode) {
    guard let value = self.sealer.openJSON(text, as: DeviceInteraction.self, context: Self.context), let code = value.code else {
      throw .page(.interactionInvalid)
    }
    guard self.now() < value.expiresAt else { throw .page(.interactionExpired) }
    return (value, code)
  }
}
