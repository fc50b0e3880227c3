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

  var sentence: String {
    switch self {
    case .loopback: "Any program on this computer could pose as this app, so you are asked each time."
    case .privateUseScheme: "Another app on this device could pose as this one, so you are asked each time."
    case .prompt: "The app wants you to confirm this again."
    case .newScopes: "The app asks for more than you have allowed before."
    }
  }
}
