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
}
