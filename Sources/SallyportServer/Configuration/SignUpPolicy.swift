/// Who can create an account. The raw values are those of the setting `accounts.sign-up`.
package enum SignUpPolicy: String, Sendable {
  /// Only operators add accounts.
  case off
  /// Users create accounts with links from an operator.
  case invite
  /// Everyone can create an account.
  case open
}
