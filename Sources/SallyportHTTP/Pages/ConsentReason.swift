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
  /// Nothing proves which device is waiting (RFC 8628 §5.4).
  case otherDevice

  var sentence: String {
    switch self {
    case .loopback: "Any program on this computer could pose as this app, so you are asked each time."
    case .privateUseScheme: "Another app on this device could pose as this one, so you are asked each time."
    case .prompt: "The app asked you to confirm this again."
    case .otherDevice:
      "Allow it only if the device in front of you shows this code. Anyone who sent you a code or a link wants to use your account."
    case .newScopes: "The app wants more access than you have allowed before."
    }
  }
}
