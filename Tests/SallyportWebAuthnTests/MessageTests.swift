import Foundation
import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("JSON messages")
struct MessageTests {
  @Test("responses in JSON are read")
  func roundTrip() throws {
    var authenticator = try Example.authenticator()
    let registration = try Example.registrationResponse(&authenticator)
    #expect(try AttestationResponse(json: registration.json()) == registration)
    var authentication = try Example.authenticationResponse(&authenticator)
    #expect(try AssertionResponse(json: authentication.json()) == authentication)
    authentication.userHandle = nil
    #expect(try AssertionResponse(json: authentication.json()) == authentication)
  }

  @Test("the options of a registration have the JSON form of the specification")
  func creationOptions() throws {
    let user = PublicKeyCredentialCreationOptionsJSON.UserEntity(id: [1, 2, 3], name: "ada", displayName: "Ada L.")
    let options = try Example.relyingParty().creationOptions(
      name: "Example", user: user, challenge: [0xFB, 0xFF], excluding: [.init(id: [9], transports: ["usb"])])
    #expect(
      try Self.json(options) == [
        "rp": ["id": "example.org", "name": "Example"],
        "user": ["id": "AQID", "name": "ada", "displayName": "Ada L."],
        "challenge": "-_8",
        "pubKeyCredParams": [
          ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8], ["type": "public-key", "alg": -257],
        ],
        "timeout": 300_000,
        "excludeCredentials": [["type": "public-key", "id": "CQ", "transports": ["usb"]]],
        "authenticatorSelection": ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"],
        "attestation": "none",
      ])
    let trusted = try #require(TrustedAuthenticators(aaguids: [], roots: []))
    let attested = try Example.relyingParty().creationOptions(
      name: "Example", user: user, challenge: [1], attestation: .required(trusted))
    #expect(attested.attestation == .direct)
  }

  @Test("the options of an authentication have the JSON form of the specification")
  func requestOptions() throws {
    let options = try Example.relyingParty().requestOptions(challenge: [1], timeout: .seconds(60))
    #expect(
      try Self.json(options) == [
        "challenge": "AQ", "timeout": 60_000, "rpId": "example.org", "allowCredentials": [], "userVerification": "required",
      ])
  }

  private static func json(_ value: some Encodable) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }

  /// Changes a member of a correct response, or removes it if the value is nil. The prefix `response.` stands for the
  /// members of `response`.
  private static func change(_ json: [UInt8], _ name: String, to value: JSONValue?) throws -> [UInt8] {
    var object = try JSONDecoder().decode(JSONValue.self, from: Data(json))
    if name.hasPrefix("response.") {
      object["response"]?[String(name.dropFirst("response.".count))] = value
    } else {
      object[name] = value
    }
    return Array(try JSONEncoder().encode(object))
  }

  /// The member to change, its new value (nil to remove the member), and the expected error (nil if the response is
  /// still accepted). Here and below, a base64url text that is too long has one character more than the encoding of the
  /// longest accepted value (``WebAuthnLimits``).
  static let changes: [(String, JSONValue?, WebAuthnError?)] = [
    ("unknown", ["a": [1]], nil), ("response.unknown", 1.5, nil), ("clientExtensionResults", nil, nil),
    ("id", nil, .malformedResponse), ("rawId", nil, .malformedResponse), ("type", nil, .malformedResponse),
    ("response", nil, .malformedResponse), ("response", [], .malformedResponse), ("id", "AAAA", .credentialIDMismatch),
    ("rawId", "AAAA", .credentialIDMismatch), ("type", "password", .unsupportedCredentialType),
    ("response.clientDataJSON", nil, .malformedResponse), ("response.clientDataJSON", 1, .malformedResponse),
    ("response.clientDataJSON", "AA==", .malformedResponse), ("response.clientDataJSON", "A", .malformedResponse),
    ("response.clientDataJSON", "+/+/", .malformedResponse), ("response.clientDataJSON", "AB", .malformedResponse),
    ("response.clientDataJSON", .string(String(repeating: "A", count: 5463)), .valueTooLong),
  ]

  @Test("members of both responses are checked", arguments: changes.indices)
  func change(_ index: Int) throws {
    let (name, value, error) = Self.changes[index]
    var authenticator = try Example.authenticator()
    let registration = try Self.change(Example.registrationResponse(&authenticator).json(), name, to: value)
    #expect(Result { () throws(WebAuthnError) in try AttestationResponse(json: registration) }.error == error)
    let authentication = try Self.change(Example.authenticationResponse(&authenticator).json(), name, to: value)
    #expect(Result { () throws(WebAuthnError) in try AssertionResponse(json: authentication) }.error == error)
  }

  @Test("members of the response to a registration are checked")
  func registration() throws {
    var authenticator = try Example.authenticator()
    let json = try Example.registrationResponse(&authenticator).json()
    for (name, value, error) in [
      ("response.attestationObject", nil, .malformedResponse), ("response.attestationObject", "%", .malformedResponse),
      ("response.attestationObject", .string(String(repeating: "A", count: 43_692)), .valueTooLong),
      ("response.transports", nil, nil), ("response.transports", ["new-transport"], nil),
      ("response.transports", "usb", .malformedResponse), ("response.transports", [1], .malformedResponse),
      ("response.transports", .array((0..<17).map { _ in "usb" }), .valueTooLong),
      ("response.transports", [.string(String(repeating: "a", count: 33))], .valueTooLong),
      ("response.publicKeyAlgorithm", "none", nil),
    ] as [(String, JSONValue?, WebAuthnError?)] {
      let changed = try Self.change(json, name, to: value)
      #expect(Result { () throws(WebAuthnError) in try AttestationResponse(json: changed) }.error == error, "\(name)")
    }
  }

  @Test("members of the response to an authentication are checked")
  func authentication() throws {
    var authenticator = try Example.authenticator()
    _ = try Example.registrationResponse(&authenticator)
    let json = try Example.authenticationResponse(&authenticator).json()
    for (name, value, error) in [
      ("response.authenticatorData", nil, .malformedResponse), ("response.signature", nil, .malformedResponse),
      ("response.signature", .string(String(repeating: "A", count: 1367)), .valueTooLong),
      ("response.authenticatorData", .string(String(repeating: "A", count: 5463)), .valueTooLong),
      ("response.userHandle", nil, nil), ("response.userHandle", .null, nil), ("response.userHandle", 1, .malformedResponse),
      ("response.userHandle", .string(String(repeating: "A", count: 87)), .valueTooLong),
    ] as [(String, JSONValue?, WebAuthnError?)] {
      let changed = try Self.change(json, name, to: value)
      #expect(Result { () throws(WebAuthnError) in try AssertionResponse(json: changed) }.error == error, "\(name)")
    }
  }

  @Test("text that is not JSON in UTF-8, or is too long, is rejected")
  func notJSON() throws {
    var authenticator = try Example.authenticator()
    let json = try Example.registrationResponse(&authenticator).json()
    let utf16 = String(decoding: json, as: UTF8.self).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for (bytes, error) in [
      ([], .malformedResponse), (Array("null".utf8), .malformedResponse), (Array(json.dropLast()), .malformedResponse),
      (utf16, .malformedResponse), ([0xFF] + json, .malformedResponse),
      (Array(String(repeating: "[", count: 100_000).utf8), .malformedResponse),
      (json + [UInt8](repeating: 0x20, count: WebAuthnLimits.response), .valueTooLong),
    ] as [([UInt8], WebAuthnError)] {
      #expect(Result { () throws(WebAuthnError) in try AttestationResponse(json: bytes) }.error == error)
    }
  }
}
