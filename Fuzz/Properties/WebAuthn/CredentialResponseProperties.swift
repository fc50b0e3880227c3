import SallyportProtocol
import SallyportWebAuthn

/// Properties of the JSON that browsers send after a registration or an authentication (WebAuthn L3 §5.1.8).
enum CredentialResponseProperties {
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    let registration = try? AttestationResponse(json: input)
    let authentication = try? AssertionResponse(json: input)
    guard registration != nil || authentication != nil else { return false }
    let members = try require(FuzzJSON.decode(JSONValue.self, input), "an accepted response is JSON")
    try require(members["type"] == "public-key", "the type is public-key")
    try require(members["id"] == members["rawId"], "id and rawId contain the same credential ID")
    if let registration {
      try self.check(registration.credentialID, members["rawId"], atMost: WebAuthnLimits.credentialID)
      let response = members["response"]
      try self.check(registration.clientDataJSON, response?["clientDataJSON"], atMost: WebAuthnLimits.clientData)
      try self.check(registration.attestationObject, response?["attestationObject"], atMost: WebAuthnLimits.attestationObject)
      try require(
        registration.transports.reduce(0) { $0 + $1.utf8.count } <= 512, "the transports have at most 512 bytes in total")
    }
    if let authentication {
      try self.check(authentication.credentialID, members["rawId"], atMost: WebAuthnLimits.credentialID)
      let response = members["response"]
      try self.check(authentication.clientDataJSON, response?["clientDataJSON"], atMost: WebAuthnLimits.clientData)
      try self.check(authentication.authenticatorData, response?["authenticatorData"], atMost: WebAuthnLimits.authenticatorData)
      try self.check(authentication.signature, response?["signature"], atMost: WebAuthnLimits.signature)
      if let userHandle = authentication.userHandle {
        try self.check(userHandle, response?["userHandle"], atMost: WebAuthnLimits.userHandle)
      }
    }
    return true
  }

  private static func check(_ bytes: [UInt8], _ member: JSONValue?, atMost limit: Int) throws(Violation) {
    try require(bytes.count <= limit, "the size of each value is limited")
    try require(member == .string(Base64URL.encode(bytes)), "bytes have only one encoding")
  }
}
