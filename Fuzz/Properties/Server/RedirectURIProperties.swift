import SallyportProtocol
import SallyportServer

/// Properties of redirect URIs and their matching (RFC 8252 §7 and §8.4, RFC 6749 §3.1.2).
enum RedirectURIProperties {
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let text = String(validating: input, as: UTF8.self), let fixture = FuzzServer.shared else { return false }
    let result = Result { () throws(RedirectURIError) in try RedirectURI(text) }
    for client in fixture.clients {
      try self.checkMatching(text, client, isURI: (try? result.get()) != nil)
    }
    guard case .success(let uri) = result else { return false }
    try require(uri.value.utf8.elementsEqual(input), "an accepted URI is kept byte for byte")
    try require(
      (try? RedirectURI(uri.value)) == uri && uri.matches(requested: uri), "an accepted URI matches itself")
    let isVisible = input.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }
    try require(isVisible, "RFC 6749 §3.1.2: a URI has no fragment, and only characters that RFC 3986 allows")
    try self.checkKind(uri)
    try self.checkResponse(uri)
    return true
  }

  private static func checkKind(_ uri: RedirectURI) throws(Violation) {
    let scheme = uri.value.prefix { $0 != ":" }
    let rest = uri.value.dropFirst(scheme.count + 1)
    let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" } : nil
    try require(authority?.contains("@") != true, "a URI has no user information")
    switch uri.kind {
    case .https:
      try require(scheme == "https" && authority?.isEmpty == false, "a claimed https URI has a host")
    case .loopback(let host):
      let port = (authority ?? "").dropFirst(host.rawValue.count)
      try require(scheme == "http" && authority?.hasPrefix(host.rawValue) == true, "http is allowed for loopback hosts only")
      let isPort = port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()).map { $0 > 0 } == true)
      try require(isPort, "only a port can follow a loopback host")
    case .privateUse:
      try require(
        scheme.contains(".") || scheme == "msapp",
        "§7.1: a private-use scheme contains a period, unless the scheme is msapp (appendix B.3)")
      try require(
        scheme == "msapp" || (rest.hasPrefix("/") && !rest.hasPrefix("//")),
        "§7.1: one slash follows the scheme, unless the scheme is msapp (appendix B.3)")
      let browserSchemes = ["http", "https", "javascript", "data", "file", "about", "blob", "vbscript"]
      try require(!browserSchemes.contains(scheme.lowercased()), "browsers do not handle the scheme themselves")
    }
  }

  private static func checkResponse(_ uri: RedirectURI) throws(Violation) {
    let location = uri.appending([("code", "a&b#c d"), ("state", "ü")])
    try require(location.utf8.starts(with: uri.value.utf8), "a response goes to the redirect URI as written")
    let parts = URIComponents(location)
    try require(parts != nil && parts?.fragment == nil, "a response's URL has no fragment")
    try require(
      parts?.authority == uri.components.authority && parts?.path == uri.components.path,
      "a response's URL has the host and path of the redirect URI")
    try require(parts?.query?.hasSuffix("code=a%26b%23c%20d&state=%C3%BC") == true, "a response's parameters are in the query")
  }

  /// RFC 8252 §8.4: URIs are compared as text, except for the port of a loopback IP literal (§7.3).
  private static func checkMatching(_ text: String, _ client: ClientRecord, isURI: Bool) throws(Violation) {
    let verified = Result { () throws(AuthorizeError) in
      try VerifiedRedirect.verify(client: client, requested: text, state: nil, rules: RedirectRules())
    }
    let expected = client.redirectURIs.contains { self.isAllowed(text, by: $0.value) }
    switch verified {
    case .success(let redirect):
      try require(expected && isURI, "S-08: only a URI that matches a registered one is accepted")
      try require(
        redirect.redirectURI.value.utf8.elementsEqual(text.utf8), "S-08: the response goes to the redirect URI of the request")
    case .failure(.page(let reason)):
      try require(
        !expected || !isURI,
        "S-06: a URI that matches a registered one, apart from the port of a loopback IP literal, is accepted")
      if case .redirectURIInvalid = reason { try require(!isURI, "only an invalid URI is reported as invalid") }
    case .failure(.redirect):
      throw Violation(of: "no error response is sent to a rejected URI")
    }
  }

  private static func isAllowed(_ text: String, by registered: String) -> Bool {
    if text.utf8.elementsEqual(registered.utf8) { return true }
    for literal in ["http://127.0.0.1", "http://[::1]"] where registered.hasPrefix("\(literal)/") && text.hasPrefix("\(literal):")
    {
      let rest = text.dropFirst(literal.count + 1)
      let port = rest.prefix { $0 != "/" }
      guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), port.first != "0", UInt16(port) != nil else { return false }
      return rest.dropFirst(port.count).utf8.elementsEqual(registered.dropFirst(literal.count).utf8)
    }
    return false
  }
}
