#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import Testing

@Suite("Registration response")
struct RegistrationResponseTests {
  private static func read(_ json: String) throws -> RegistrationResponse {
    try JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(json.utf8)).response
  }

  @Test("C-21: the server's response is decoded by the client, and no secret is printed")
  func roundTrip() throws {
    var response = RegistrationResponse(clientID: "c-1", metadata: ClientMetadata(native: "Notes"))
    response.clientSecret = Secret("s3cret")
    response.clientSecretExpiresAt = 0
    response.registrationAccessToken = Secret("t0ken")
    response.registrationClientURI = "https://id.example/register/c-1"
    let data = try JSONEncoder().encode(RegistrationResponseJSON(response))
    let read = try Self.read(String(decoding: data, as: UTF8.self))
    #expect(read.clientID == "c-1")
    #expect(read.clientSecret == response.clientSecret)
    #expect(read.registrationAccessToken == response.registrationAccessToken)
    #expect(read.clientSecretExpiresAt == 0)
    #expect(read.metadata == response.metadata)
    #expect(!"\(response)".contains("s3cret") && !"\(response)".contains("t0ken"))
  }

  @Test(
    "C-21: responses of existing servers are decoded",
    arguments: [
      (#"{"client_id":"c","client_secret":"","client_secret_expires_at":0}"#, nil, 0),
      (#"{"client_id":"c","client_secret":"s","client_secret_expires_at":"1800000000"}"#, "s", 1_800_000_000),
      (#"{"client_id":"c","client_secret":"s","client_secret_expires_at":1800000000.75}"#, "s", 1_800_000_000),
      (#"{"client_id":"c","client_secret":"s","client_id_issued_at":{},"contacts":"a@b.example","scope":["a"]}"#, "s", nil),
      (#"{"client_id":"c","client_secret":null,"registration_access_token":"","logo_uri":false,"jwks":{}}"#, nil, nil),
    ] as [(String, String?, Int64?)])
  func lenient(json: String, secret: String?, expires: Int64?) throws {
    let response = try Self.read(json)
    #expect(response.clientSecret?.reveal() == secret)
    #expect(response.clientSecretExpiresAt == expires)
    #expect(response.registrationAccessToken == nil)
  }

  @Test(
    "C-21: a response with credentials that cannot be decoded is an error",
    arguments: [
      "{}", #"{"client_id":1}"#, #"{"client_id":"c","client_secret":["s"]}"#, #"{"client_id":"c","registration_access_token":1}"#,
      #"{"client_id":"c","client_secret":"s","client_secret_expires_at":{}}"#, "[]",
    ])
  func unreadable(json: String) {
    #expect(throws: (any Error).self) { try Self.read(json) }
  }
}
