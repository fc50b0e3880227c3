/// The destination that the consent page shows: where the authorization response goes, or which other device gets the
/// tokens.
package enum Destination: Sendable, Equatable {
  /// A program on the user's computer (RFC 8252 §7.3).
  case thisComputer(port: Int?)
  /// The app that opens links with this scheme (RFC 8252 §7.1).
  case app(scheme: String)
  /// A website, or the app that claims its links (RFC 8252 §7.2).
  case website(host: String)
  /// A device elsewhere that shows this code (RFC 8628).
  case otherDevice(code: String)

  /// The values for the template, which has a text for each kind of destination.
  ///
  /// The page shows the scheme, the host, and the code in a different typeface. It never shortens them, because the end
  /// of a host name identifies its owner.
  struct View {
    var isComputer = false
    var port: Int?
    var scheme: String?
    var host: String?
    var code: String?
  }

  var view: View {
    switch self {
    case .thisComputer(let port): View(isComputer: true, port: port)
    case .app(let scheme): View(scheme: scheme + ":")
    case .otherDevice(let code): View(code: code)
    case .website(let host): View(host: host)
    }
  }
}
