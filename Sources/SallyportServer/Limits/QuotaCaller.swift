/// The caller to whom a quota attributes a request.
enum QuotaCaller: Sendable {
  /// A client of an operator that has authenticated.
  case authenticated
  /// Any other caller. Anyone can use a public client's ID or register a client.
  case anonymous(ClientAddress)
}
