/// The caller to whom a quota attributes a request.
enum QuotaCaller: Sendable {
  /// An authenticated client that an operator registered.
  case authenticated
  /// Any other caller, such as a public client, whose ID anyone can use, or a dynamic client, which anyone can
  /// register.
  case anonymous(ClientAddress)
}
