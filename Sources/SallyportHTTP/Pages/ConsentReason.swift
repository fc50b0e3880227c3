/// Why a user is asked for consent, although they may have given it before.
package enum ConsentReason: Sendable, Equatable, CaseIterable {
  /// A loopback redirect does not prove the app's identity (RFC 8252 §8.6).
  case loopback
  /// A private-use scheme does not prove the app's identity (RFC 8252 §8.6).
  case privateUseScheme
  /// The request contains `prompt=consent`.
  case prompt
  /// The app requests scopes or resources that no earlier consent covers.
  case newScopes
  /// The user entered the code of a device. Nothing proves that it is the user's own device (RFC 8628 §5.4).
  case otherDevice

  var text: PageText {
    switch self {
    case .loopback: .consentLoopback
    case .privateUseScheme: .consentPrivateUseScheme
    case .prompt: .consentPrompt
    case .otherDevice: .consentOtherDevice
    case .newScopes: .consentNewScopes
    }
  }
}
