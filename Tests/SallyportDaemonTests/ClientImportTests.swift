import ArgumentParser
import Foundation
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("sallyportd client import")
struct ClientImportTests {
  @Test("an import cannot replace a dynamic client that has the same client ID")
  func selfRegisteredClient() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let directory = try DataDirectory(path: "\(folder.path)/data")
    let client = ClientRecord(
      id: ClientID(rawValue: "notes"), name: "Notes", type: .public, applicationType: .native, origin: .dynamic,
      redirectURIs: [try RedirectURI("http://127.0.0.1/cb")], scope: "openid", createdAt: .now())
    try await directory.store.write { (tx) throws(StoreError) in try tx.insert(client) }
    let file = try folder.write(
      #"[{"client_id": "notes", "client_name": "Bank", "redirect_uris": ["https://bank.example/cb"]}]"#, to: "clients.json")
    let command = try ClientCommand.ImportCommand.parse([file, "--data", "\(folder.path)/data"])
    let failure = await #expect(throws: Failure.self) { try await command.run() }
    #expect(failure?.message.contains("a client that was not added by an operator has this client ID") == true)
    let kept = try await directory.store.read { (tx) throws(StoreError) in try tx.client(client.id) }
    #expect(kept?.name == "Notes" && kept?.origin == .dynamic && kept?.redirectURIs == client.redirectURIs)
  }

  /// Clients that together have almost every property that a file can contain.
  private static let clients = #"""
    [{"client_id": "notes", "client_name": "Notes", "application_type": "native", "first_party": true,
      "redirect_uris": ["http://127.0.0.1/cb", "com.example.app:/cb"], "post_logout_redirect_uris": ["com.example.app:/out"],
      "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      "apple_app_ids": ["ABCDE12345.com.example.app"], "android_apps": [{"package": "com.example.app",
      "sha256_cert_fingerprints": ["14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"]}],
      "contacts": ["help@example.com"], "client_uri": "https://example.com/", "logo_uri": "https://example.com/logo.png",
      "policy_uri": "https://example.com/privacy", "tos_uri": "https://example.com/terms", "require_acr": "phr",
      "web_views": "warn", "resources": ["https://api.example/"], "software_id": "notes", "software_version": "1"},
     {"client_id": "shop", "client_name": "Shop", "application_type": "web", "redirect_uris": ["https://shop.example/cb"],
      "client_secret": "a secret of at least 22 characters", "scope": "openid email", "id_token_signed_response_alg": "RS256",
      "require_pkce": true, "token_endpoint_auth_method": "client_secret_post", "userinfo_signed_response_alg": "ES256",
      "backchannel_logout_uri": "https://shop.example/out", "backchannel_logout_session_required": true,
      "default_max_age": 600, "require_auth_time": true, "default_acr_values": ["1"],
      "initiate_login_uri": "https://shop.example/login"},
     {"client_id": "bank", "client_name": "Bank", "application_type": "web", "redirect_uris": ["https://bank.example/cb"],
      "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
      "request_object_signing_alg": "ES256", "require_signed_request_object": true, "dpop_bound_access_tokens": true,
      "require_pushed_authorization_requests": true, "request_uris": ["https://bank.example/request"],
      "jwks": {"keys": [{"kty": "EC", "crv": "P-256", "kid": "a/b", "x": "AQ", "y": "Ag"}]}},
     {"client_id": "nightly", "client_name": "Nightly", "grant_types": ["client_credentials"],
      "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://nightly.example/jwks",
      "audiences": ["https://api.example/"]}]
    """#

  @Test("an import of the JSON that describes a client, alone or in an array, does not change the client")
  func roundTrip() throws {
    let file = try JSONDecoder().decode(ClientFile.self, from: Data(Self.clients.utf8))
    let now = Timestamp(seconds: 1_800_000_000)
    let records = try ClientCommand.ImportCommand.checked(file, name: "clients.json").map { entry in
      try entry.record(at: now, replacing: nil).0
    }
    #expect(records.count == 4)
    let array = try JSONEncoder().encode(records.map { ClientFile.Entry($0) })
    let arrayFile = try JSONDecoder().decode(ClientFile.self, from: array)
    let members = try #require(try JSONSerialization.jsonObject(with: array) as? [[String: Any]])
    for ((record, element), members) in zip(zip(records, arrayFile.elements), members) {
      let object = try JSONEncoder().encode(ClientFile.Entry(record))
      let objectFile = try JSONDecoder().decode(ClientFile.self, from: object)
      for element in [element] + objectFile.elements {
        let entry = try element.entry.get()
        #expect(entry.problems() == [] && entry.origin == "operator")
        #expect(try entry.record(at: now + .seconds(1), replacing: record).0 == record)
      }
      #expect(members["client_id"] as? String == record.id.rawValue && members["client_secret"] == nil)
    }
    // The JSON has every property of the file except the secret.
    let given = try #require(try JSONSerialization.jsonObject(with: Data(Self.clients.utf8)) as? [[String: Any]])
    for (given, printed) in zip(given, members) {
      #expect(Set(given.keys).subtracting(printed.keys).isSubset(of: ["client_secret"]))
    }
  }

  @Test("a client that the command line added is unchanged by an import of its JSON")
  func addedClient() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let data = "\(folder.path)/data"
    let keys = try folder.write(
      #"{"keys": [{"y": "Ag", "x": "AQ", "kty": "EC", "crv": "P-256", "kid": "a/b"}]}"#, to: "jwks.json")
    try await ClientCommand.Add.parse([
      "--data", data, "--client-id", "keyed", "--name", "Keyed", "--type", "web", "--redirect-uri", "https://a.example/cb",
      "--jwks", keys,
    ]).run()
    let store = try DataDirectory(path: data).store
    let added = try await store.client(withID: "keyed")
    let json = String(decoding: try JSONEncoder().encode(ClientFile.Entry(added)), as: UTF8.self)
    try await ClientCommand.ImportCommand.parse([try folder.write(json, to: "clients.json"), "--data", data]).run()
    #expect(try await store.client(withID: "keyed") == added)
  }

  @Test("an unknown member does not hide the other mistakes of its client, which are reported under its client ID")
  func unknownMembers() throws {
    let file = #"""
      [{"client_id": "a", "redirect_uris": ["https://a.example/cb"]},
       {"client_id": "b", "redirect_uris": ["https://b.example/cb"], "zzz": 1, "aaa": 2, "grant_types": ["password"]},
       {"client_id": "c", "zzz": 1, "web_views": "never"},
       {"zzz": 1, "redirect_uris": ["https://d.example/cb"]}]
      """#
    let clients = try JSONDecoder().decode(ClientFile.self, from: Data(file.utf8))
    let failure = #expect(throws: Failure.self) {
      _ = try ClientCommand.ImportCommand.checked(clients, name: "clients.json")
    }
    let lines = (failure?.message ?? "").split(separator: "\n").dropFirst().map { $0.trimmingPrefix("  ") }
    for line in [
      "b: aaa: not a property of a client", "b: zzz: not a property of a client",
      "b: grant_types: contains an unsupported grant type", "c: zzz: not a property of a client",
      "c: web_views: must be block, warn, or off", "client 4: zzz: not a property of a client",
      "client 4: client_id: is required",
    ] {
      #expect(lines.contains { $0 == line }, "\(line) in \(lines)")
    }
    #expect(!lines.contains { $0.hasPrefix("a:") })
  }

  @Test("client show prints a service as a service, and the properties that are set")
  func shownProperties() throws {
    let file = try JSONDecoder().decode(ClientFile.self, from: Data(Self.clients.utf8))
    let shown = try file.elements.map { element in
      ClientCommand.Show.lines(try element.entry.get().record(at: .now(), replacing: nil).0)
    }
    #expect(shown[0].contains("type\tnative, public") && shown[1].contains("type\tweb, confidential"))
    #expect(shown[3].contains("type\tservice, confidential") && shown[3].contains("audience\thttps://api.example/"))
    for line in ["first_party\ttrue", "resource\thttps://api.example/", "post_logout_redirect_uri\tcom.example.app:/out"] {
      #expect(shown[0].contains(line), "\(shown[0])")
    }
    #expect(!shown[1].contains { $0.hasPrefix("first_party") || $0.hasPrefix("resource") || $0.hasPrefix("audience") })
  }

  @Test("clients that no operator added are skipped")
  func origins() throws {
    let file = #"""
      [{"client_id": "a", "redirect_uris": ["https://a.example/cb"], "origin": "dynamic"},
       {"client_id": "b", "redirect_uris": ["https://b.example/cb"], "origin": "operator"},
       {"client_id": "c", "redirect_uris": ["https://c.example/cb"]}]
      """#
    let clients = try JSONDecoder().decode(ClientFile.self, from: Data(file.utf8))
    #expect(try ClientCommand.ImportCommand.checked(clients, name: "clients.json").map(\.clientID) == ["b", "c"])
  }

  @Test(
    "application_type is reported if it is invalid, or if it is missing and valid redirect URIs do not imply it",
    arguments: [
      (#""redirect_uris": ["ftp://a.example/cb"]"#, false),
      (#""redirect_uris": ["https://a.example/cb", "http://127.0.0.1/cb"]"#, true),
      (#""redirect_uris": ["https://a.example/cb"], "application_type": "desktop""#, true),
      (#""redirect_uris": ["https://a.example/cb"]"#, false),
    ])
  func applicationTypes(members: String, isTypeReported: Bool) throws {
    let file = try JSONDecoder().decode(ClientFile.self, from: Data(#"[{"client_id": "a", \#(members)}]"#.utf8))
    let problems = try #require(file.elements.first).entry.get().problems()
    #expect(problems.contains { $0.hasPrefix("application_type:") } == isTypeReported)
  }
}
