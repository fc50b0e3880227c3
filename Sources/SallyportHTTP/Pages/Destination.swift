/// Where the authorization response or, for another device, the tokens go, as the consent page describes it.
package enum Destination: Sendable, Equatable {
  /// A program on the user's computer (RFC 8252 §7.3).
  case thisComputer(port: Int?)
  /// The app that opens links with this scheme (RFC 8252 §7.1).
  case app(scheme: String)
  /// A website, or the app that claims its links (RFC 8252 §7.2).
  case website(host: String)
  /// A device elsewhere that shows this code (RFC 8628).
  case otherDevice(code: String)

  /// The parts of the description.
  ///
  /// ``name`` is the part that depends on the app or the device. It is shown in a different typeface, and never
  /// shortened, because the end of a host name identifies its owner.
  struct Words {
    let before: String
    var name: String?
    var after = ""
  }

  var words: Words {
    switch self {
    case .thisComputer(let port?): Words(before: "A program on this computer, at port \(port)")
    case .thisComputer(nil): Words(before: "A program on this computer")
    case .app(let scheme): Words(before: "The app on this device that opens ", name: scheme + ":", after: " links")
    case .otherDevice(let code): Words(before: "The device that shows the code ", name: code)
    case .website(let host): Words(before: "The website ", name: host)
    }
  }
}
