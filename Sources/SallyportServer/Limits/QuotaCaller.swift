/// The caller to whom a quota attributes a request.
enum QuotaCaller: Sendable {
  /// An authenticated client that an operator registered.
  case authenticated
  /// Any other caller. Anyone can use a public client's ID or register a client.
  case anonymous(ClientAddress)
}
