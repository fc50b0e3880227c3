import Sallyport
import SallyportProtocol
import SallyportRemote

/// Properties of the client's validation of a callback URL (RFC 6749 §4.1.2, RFC 8252 §8.9 and §8.10, RFC 9207 §2.4).
///
/// `{state}` in the input is replaced by the state of the sign-in, which is random.
enum CallbackProperties {
  private struct SignIn: Sendable {
    let pending: PendingSignIn
    let metadata: ProviderMetadata
  }

  private static let signIns: [SignIn] = [
    ("http://127.0.0.1:4000/oauth2redirect/as.example", true), ("http://[::1]/cb?tenant=1", false),
    ("com.example.app:/oauth2redirect", true), ("https://app.example/cb", false),
  ].compactMap { text, announcesIssuer in
    var document = ServerMetadata(issuer: "https://as.example/t")
    document.authorizationEndpoint = "https://as.example/authorize"
    document.tokenEndpoint = "https://as.example/token"
    document.authorizationResponseIssParameterSupported = announcesIssuer
    guard let issuer = try? Issuer(document.issuer), let redirect = try? RedirectURI(text),
      let metadata = try? ProviderMetadata(document, expecting: issuer)
    else { return nil }
    return SignIn(
      pending: PendingSignIn(issuer: issuer, clientID: "notes", redirectURI: redirect, scope: "openid"), metadata: metadata)
  }

  /// - Returns: Whether one of the sign-ins accepts the callback URL.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let text = String(validating: input, as: UTF8.self) else { return false }
    var isAccepted = false
    for signIn in self.signIns {
      let state = signIn.pending.state.reveal()
      let url = text.split(separator: "{state}", omittingEmptySubsequences: false).joined(separator: state)
      if try self.check(url, signIn) { isAccepted = true }
    }
    return isAccepted
  }

  private static func check(_ url: String, _ signIn: SignIn) throws(Violation) -> Bool {
    let result = Result { () throws(AuthorizationResponseError) in
      try AuthorizationResponse.validate(callbackURL: Secret(url), pending: signIn.pending, metadata: signIn.metadata)
    }
    // Whether a redirect receiver takes the URL as the response to the sign-in and stops waiting.
    let isResponse = AuthorizationResponse.isResponse(url, to: signIn.pending)
    switch result {
    case .success(let response):
      try require(isResponse, "a valid response ends the receiver's wait")
      try self.checkAccepted(url, response.code.reveal(), signIn)
      return true
    case .failure(let error):
      try self.checkRejected(error, isResponse: isResponse, signIn.pending)
      return false
    }
  }

  private static func checkAccepted(_ url: String, _ code: String, _ signIn: SignIn) throws(Violation) {
    let redirect = signIn.pending.redirectURI.value
    let separator = redirect.contains("?") ? "&" : "?"
    try require(
      url.utf8.starts(with: "\(redirect)\(separator)".utf8), "RFC 8252 §8.10: a response arrives at exactly the redirect URI")
    try require(!url.contains("#"), "a response has no fragment")
    // Parse the query without the code under test, so that a mistake there is not repeated here.
    let pairs = url.dropFirst(redirect.count + 1).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: self.decoded(parts[0]), value: parts.count == 2 ? self.decoded(parts[1]) : [])
    }
    // RFC 6749 §3.1: a parameter without a value counts as omitted.
    func values(_ name: String) -> [[UInt8]] {
      pairs.filter { $0.name.elementsEqual(name.utf8) && !$0.value.isEmpty }.map(\.value)
    }
    try require(
      values("state") == [Array(signIn.pending.state.reveal().utf8)],
      "RFC 8252 §8.9: there is exactly one state, and it is the expected one")
    try require(values("code") == [Array(code.utf8)], "there is exactly one code, and it is the one in the URL")
    try require(values("error").isEmpty, "a response has either a code or an error")
    let issuers = values("iss")
    try require(
      issuers.allSatisfy { $0.elementsEqual(signIn.pending.issuer.value.utf8) }, "RFC 9207 §2.4: iss is the issuer's identifier")
    try require(
      !signIn.metadata.announcesIssuer || issuers.count == 1, "RFC 9207 §2.4: iss is present if the server announced it")
  }

  private static func checkRejected(
    _ error: AuthorizationResponseError, isResponse: Bool, _ pending: PendingSignIn
  ) throws(Violation) {
    switch error {
    case .malformed, .wrongRedirectURI, .repeatedParameter, .stateMissing, .stateMismatch:
      try require(
        !isResponse, "C-16: a malformed URL, or one with a wrong redirect URI or state, does not end the receiver's wait")
    case .issuerMissing, .issuerMismatch, .codeMissing, .refused:
      try require(isResponse, "a response with the right state ends the receiver's wait")
    case .alreadyReceived:
      throw Violation(of: "the first response is not rejected as a repeated one")
    }
    guard case .refused(let errorResponse) = error else { return }
    let text = errorResponse.code.description + (errorResponse.description ?? "")
    try require(text.utf8.count <= 4096, "the length of an error code and its description is limited")
    let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    try require(isPrintable, "an error code and its description have no control characters")
    for secret in [pending.state.reveal(), pending.nonce.reveal()] {
      try require(!errorResponse.code.description.contains(secret), "an error code contains neither the state nor the nonce")
      try require(
        !(errorResponse.description ?? "").contains(secret), "an error description contains neither the state nor the nonce")
    }
  }

  private static func decoded(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }
}
