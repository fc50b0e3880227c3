/// Who uses something that has a quota.
enum QuotaCaller: Sendable {
  /// A client that has authenticated with a secret or an assertion.
  case authenticated
  /// Anyone: a caller who names a public client, or none.
  case anonymous(ClientAddress)
}
