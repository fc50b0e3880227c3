import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The response to a device authorization request (RFC 8628 §3.2).
struct Device: Sendable {
  let code: String
  let userCode: String
  let verificationURI: String
  let verificationURIComplete: String
}

extension Site {
  /// Requests a device code as the client `loopback`, which may use the device grant from then on.
  /// - Parameter key: The key of the request's DPoP proof; nil for a request without a proof.
  func beginDevice(
    scope: String = "openid offline_access", resource: String? = nil, key: (any DPoPKey)? = nil
  ) async throws -> Device {
    var client = try TestClient.loopback.record
    client.grantTypes.append(.deviceCode)
    client.details.resources = ["https://api.example", "https://other.example"]
    try await self.add(client)
    let path = "/device_authorization"
    let fields = [("client_id", "loopback"), ("scope", scope)] + (resource.map { [("resource", $0)] } ?? [])
    let reply =
      if let key { try await self.post(path, fields, proof: try self.proof(key, path)) } else {
        try await self.post(path, fields)
      }
    #expect(reply.status == .ok && reply.headers[.cacheControl] == "no-store")
    return Device(
      code: try #require(reply.json["device_code"]), userCode: try #require(reply.json["user_code"]),
      verificationURI: try #require(reply.json["verification_uri"]),
      verificationURIComplete: try #require(reply.json["verification_uri_complete"]))
  }

  /// Advances the clock and then polls the token endpoint.
  /// - Parameter waiting: The seconds by which to advance the clock. The default is the polling interval.
  func poll(
    _ device: Device, client: String = "loopback", resource: String? = nil, key: (any DPoPKey)? = nil, waiting: Int64 = 5
  ) async throws -> Reply {
    self.fixture.clock.advance(by: .seconds(waiting))
    let fields =
      [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device.code), ("client_id", client),
      ] + (resource.map { [("resource", $0)] } ?? [])
    guard let key else { return try await self.post("/token", fields) }
    return try await self.post("/token", fields, proof: try self.proof(key, "/token"))
  }
}

extension TestBrowser {
  /// Enters the device's code, and signs in if the page asks for it.
  func enterCode(of device: Device) async throws -> Reply {
    let page = try await self.submit(try await self.open(device.verificationURI), [("user_code", device.userCode)])
    return page.isSignInPage ? try await self.signIn(page) : page
  }

  /// Completes all steps of the user, from the code to "Allow".
  func allow(_ device: Device) async throws {
    let consent = try await self.enterCode(of: device)
    try #require(consent.isConsentPage)
    #expect(try await self.decide(consent, "allow").status == .ok)
  }
}
