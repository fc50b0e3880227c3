/// Why a person is asked although they may have allowed the same before.
package enum AsksAgain: Sendable, Equatable, CaseIterable {
  /// A loopback redirect proves no identity, RFC 8252 §8.6.
  case loopback
  /// A private-use scheme proves no identity, RFC 8252 §8.6.
  case privateUseScheme
  /// The request says `prompt=consent`.
  case prompt
  /// The app asks for more than was allowed before.
  case newScopes
  /// Nothing tells one device from another, RFC 8628 §5.4.
  case otherDevice

  var sentence: String {
    switch self {
    case .loopback: "Any program on this computer could pose as this app, so you are asked each time."
    case .privateUseScheme: "Another app on this device could pose as this one, so you are asked each time."
    case .prompt: "The app wants you to confirm this again."
    case .otherDevice:
      "Allow it only if the device in front of you shows this code. Whoever sent you a code or a link wants your account."
    case .newScopes: "The app asks for more than you have allowed before."
    }
  }
}
