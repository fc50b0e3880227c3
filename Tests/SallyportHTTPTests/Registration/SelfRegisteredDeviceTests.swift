import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("The device grant of self-registered clients", .timeLimit(.minutes(5)))
struct SelfRegisteredDeviceTests {
  private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  private static func metadata(_ grants: [String]) -> JSONValue {
    var metadata = Site.mcpClient
    metadata["grant_types"] = .array(grants.map { .string($0) })
    metadata["response_types"] = nil
    return metadata
  }

  @Test(
    """
    by default, the server removes the device grant from the requested grant types, and rejects a registration that \
    lacks the authorization code grant
    """)
  func registration() async throws {
    try await withSite { site in
      let reply = try await site.register(Self.metadata(["authorization_code", Self.deviceGrant]))
      #expect(try reply.registration.metadata.grantTypes == ["authorization_code"])
      let withoutCode = try await site.register(Self.metadata([Self.deviceGrant, "refresh_token"]))
      expectRegistrationError(withoutCode, "invalid_client_metadata")
      let deviceOnly = try await site.register(Self.metadata([Self.deviceGrant]))
      expectRegistrationError(deviceOnly, "invalid_client_metadata")
      #expect(deviceOnly.json["error_description"]?.contains("cannot use the device grant") == true)
    }
    try await withSite(configure: { $0.registration.allowsDeviceGrant = true }) { site in
      let registration = try await site.register(Self.metadata([Self.deviceGrant, "refresh_token"])).registration
      #expect(registration.metadata.grantTypes?.contains(Self.deviceGrant) == true)
      let reply = try await site.post("/device_authorization", [("client_id", registration.clientID)])
      #expect(reply.status == .ok)
    }
  }

  @Test(
    """
    by default, a self-registered client cannot request a device code, even if its stored record has the device grant; \
    a client that an operator registered can
    """,
    arguments: [(ClientRecord.Origin.dynamic, false), (.document, false), (.operator, true)])
  func existing(origin: ClientRecord.Origin, isAllowed: Bool) async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.origin = origin
      client.id = ClientID(rawValue: "tv")
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      let reply = try await site.post("/device_authorization", [("client_id", "tv")])
      if isAllowed { #expect(reply.status == .ok) } else { expectTokenError(reply, "unauthorized_client") }
    }
  }

  @Test("by default, the device grant in a client's metadata document is ignored")
  func document() async throws {
    let (transport, id) = (FakeTransport(), "https://tv.example/client.json")
    var document = Self.metadata(["authorization_code", Self.deviceGrant])
    document["client_id"] = .string(id)
    transport.on(id, respond: .json(encoding: document))
    try await withSite(transport: transport) { site in
      expectTokenError(try await site.post("/device_authorization", [("client_id", id)]), "unauthorized_client")
      #expect(try await site.client(id)?.grantTypes == [.authorizationCode])
    }
  }
}
