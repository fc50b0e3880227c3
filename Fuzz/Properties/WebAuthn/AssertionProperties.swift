import Crypto
import SallyportProtocol
import SallyportWebAuthn

/// Properties of the verification of WebAuthn assertions. An input is client data, a line break, and authenticator
/// data. The client data and the authenticator data are signed with the key of the credential.
enum AssertionProperties {
  /// - Returns: Whether the relying party accepts the assertion.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let relyingParty = FuzzRelyingParty.relyingParty, let credential = FuzzRelyingParty.credential else {
      throw Violation(of: "the relying party and the credential are valid")
    }
    guard let (clientData, authenticatorData) = FuzzKeys.parts(input) else { return false }
    let signed = authenticatorData + Array(SHA256.hash(data: clientData))
    guard let signature = FuzzRelyingParty.signature(of: signed),
      let forged = FuzzRelyingParty.signature(of: signed, byOtherKey: true)
    else { throw Violation(of: "signatures can be created") }
    var response = AssertionResponse(
      credentialID: credential.id, clientDataJSON: clientData, authenticatorData: authenticatorData, signature: signature)
    guard let assertion = self.verify(response, credential, relyingParty) else { return false }

    let members = try require(FuzzJSON.decode(JSONValue.self, clientData), "the client data is JSON")
    func text(_ name: String) -> String? {
      if case .string(let text)? = members[name] { text } else { nil }
    }
    try require(haveSameBytes(text("type"), "webauthn.get"), "the client data is for an authentication")
    let challenge = Base64URL.encode(FuzzRelyingParty.challenge)
    try require(haveSameBytes(text("challenge"), challenge), "the client data contains the expected challenge")
    try require(
      FuzzRelyingParty.origins.contains { haveSameBytes(text("origin"), $0) }, "the relying party accepts the origin")
    try require(
      members["crossOrigin"] != true && members["topOrigin"] ?? .null == .null, "the page is not in a frame on another origin")
    let idHash = SHA256.hash(data: Array(FuzzRelyingParty.id.utf8))
    try require(authenticatorData.prefix(32).elementsEqual(idHash), "the authenticator data begins with the hash of the RP ID")
    try require(authenticatorData[32] & 0x4D == 0x0D, "the flags UP, UV, and BE are set, and AT is not")
    let counter = authenticatorData[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    try require(assertion.signCount == counter, "the counter is the one in the authenticator data")
    try require(
      (assertion.signCounter == .increased) == (counter > credential.signCount),
      "the counter is reported as increased if, and only if, it is greater than the stored one")

    response.signature = forged
    try require(self.verify(response, credential, relyingParty) == nil, "a signature by another key is rejected")
    response.signature = signature
    response.clientDataJSON.append(UInt8(ascii: " "))
    try require(self.verify(response, credential, relyingParty) == nil, "a signature of other client data is rejected")
    return true
  }

  private static func verify(
    _ response: AssertionResponse, _ credential: StoredCredential, _ relyingParty: RelyingParty
  ) -> VerifiedAssertion? {
    try? relyingParty.verifyAuthentication(response, challenge: FuzzRelyingParty.challenge, credential: credential)
  }
}
