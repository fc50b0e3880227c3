/// Who can create an account. The raw values are the values of the setting `accounts.sign-up`.
package enum SignUpPolicy: String, Sendable {
  /// Only operators add accounts.
  case off
  /// Users create accounts with links from an operator.
  case invite
  /// Anyone can create an account.
  case open
}
