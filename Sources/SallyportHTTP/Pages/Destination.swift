/// Where the answer goes, as the consent page says it.
package enum Destination: Sendable, Equatable {
  /// A program on the person's own computer, RFC 8252 §7.3.
  case thisComputer(port: Int?)
  /// The app that opens links of this scheme, RFC 8252 §7.1.
  case app(scheme: String)
  /// A web site, or the app that claims its links, RFC 8252 §7.2.
  case website(host: String)
}
