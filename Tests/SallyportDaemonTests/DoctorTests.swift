import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import SocketTestSupport
import TestSupport
import Testing

@testable import SallyportDaemon

@Suite("sallyportd doctor")
struct DoctorTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private func levels(_ findings: [Finding]) -> [Finding.Level] { findings.map(\.level) }

  @Test(
    "a clock that is set to a time before the release of this version is a problem, and a clock that is not synchronized is a warning"
  )
  func clock() {
    #expect(self.levels(ClockCheckup(now: Timestamp(seconds: 1_000), isSynchronized: true).findings()) == [.problem])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronized: false).findings()) == [.warning])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronized: true).findings()) == [.ok])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronized: nil).findings()) == [.ok])
  }

  @Test(
    "a name in a certificate covers the host itself, and a wildcard covers one label",
    arguments: [
      ("id.example.com", "id.example.com", true), ("*.example.com", "id.example.com", true),
      ("*.example.com", "a.id.example.com", false), ("*.example.com", "example.com", false),
      ("example.com", "id.example.com", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
      ("*.0.2.1", "192.0.2.1", false), ("[2001:db8::1]", "[2001:db8:0:0::1]", true), ("[2001:db8::1]", "[2001:db8::2]", false),
    ])
  func certificateNames(name: String, host: String, isCovered: Bool) {
    #expect(CertificateCheckup.covers(name, host) == isCovered)
  }

  @Test(
    "a certificate is reported if it is not valid yet, expires soon, has expired, is for another host, or has a key that others can read"
  )
  func certificates() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let files = try folder.certificate(TestCertificates(validFor: -3600...86_400 * 30))
    func levels(host: String = "localhost", days: Int64) -> [Finding.Level] {
      self.levels(CertificateCheckup(files: files, host: host, now: .now() + .seconds(days * 86_400)).findings())
    }
    #expect(levels(days: 0) == [.ok])
    #expect(levels(days: -1) == [.problem])
    #expect(levels(days: 20) == [.warning])
    #expect(levels(days: 31) == [.problem])
    #expect(levels(host: "id.example.com", days: 0) == [.problem])
    #expect(levels(host: "192.0.2.1", days: 0) == [.problem])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.key)
    #expect(levels(days: 0) == [.problem])
    try folder.write("", to: "key.pem")
    #expect(levels(days: 0) == [.problem])
  }

  @Test(
    "a certificate for an IP address is accepted if the issuer's host is the same address",
    arguments: [
      ("192.0.2.1", [192, 0, 2, 1]), ("[2001:db8::1]", [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ] as [(String, [UInt8])])
  func addressCertificate(host: String, address: [UInt8]) throws {
    let folder = try Folder()
    defer { folder.remove() }
    let files = try folder.certificate(TestCertificates(address: address, validFor: -3600...86_400 * 30))
    #expect(CertificateCheckup(files: files, host: host).findings().map(\.level) == [.ok])
    let other = CertificateCheckup(files: files, host: "192.0.2.2").findings()
    #expect(
      other == [
        .problem(
          "tls", "the certificate is for localhost, \(host), but not for the issuer's host 192.0.2.2, so clients reject it")
      ])
  }

  @Test("settings that are allowed but risky cause a warning")
  func settings() throws {
    func levels(_ file: String) throws -> [Finding.Level] {
      self.levels(SettingsCheckup(settings: try ServerSettings([SettingSource(file: file, path: "s.yaml")])).findings())
    }
    #expect(try levels("issuer: https://id.example.com") == [.ok])
    #expect(try levels("issuer: https://192.0.2.1") == [.warning])
    #expect(try levels("issuer: 'https://[2001:db8::1]:8443'") == [.warning])
    #expect(try levels("issuer: http://localhost:8080") == [.warning])
    #expect(try levels("{ issuer: 'https://id.example.com', listen.host: 0.0.0.0 }") == [.warning])
    #expect(
      try levels("{ issuer: 'https://id.example.com', listen.host: 0.0.0.0, tls: { certificate: c, key: k } }") == [.ok])
    #expect(try levels("{ issuer: 'https://id.example.com', redirects.any-localhost-port: true }") == [.warning])
    #expect(try levels("{ issuer: 'https://id.example.com', registration.device: true }") == [.warning])
    // With an https issuer, registration is off by default, so without client documents, no app can register itself.
    #expect(
      try levels("{ issuer: 'https://id.example.com', registration: { device: true, client-documents: false } }") == [.ok])
  }

  @Test("keys are reported if they do not match the key file, are older than a year, are missing, or have a time in the future")
  func keys() throws {
    let material = MasterKey.randomMaterial()
    let master = try #require(MasterKey(material))
    let other = try #require(MasterKey(MasterKey.randomMaterial()))
    func keys(_ key: MasterKey, age: Duration = .zero) throws -> [SigningKeyRecord] {
      try SigningKey.Algorithm.allCases.map {
        try KeySealer(key).record(of: .generate($0), createdAt: Self.now - age, activeAt: Self.now - age)
      }
    }
    func levels(_ keys: [SigningKeyRecord]) -> [Finding.Level] {
      self.levels(KeysCheckup(keys: keys, masterKey: master, now: Self.now).findings())
    }
    #expect(levels(try keys(master)) == [.ok])
    // An immediate rotation at a server whose clock is a little ahead.
    #expect(levels(try keys(master, age: .seconds(-5))) == [.ok])
    #expect(levels(try keys(other)) == [.problem, .problem])
    #expect(levels(try keys(master, age: .seconds(400 * 86_400))) == [.warning, .warning])
    // If there are no keys, the server has not been started yet. If only one algorithm has no key, something is wrong.
    #expect(levels([]) == [.warning, .warning])
    #expect(levels(Array(try keys(master).prefix(1))) == [.problem])
    // There is one problem for the time in the future, and one for each algorithm without an active key.
    #expect(levels(try keys(master, age: .seconds(-3600))) == [.problem, .problem, .problem])
  }

  @Test("S-32: registrations that violate a rule are problems, and weak registrations cause a warning")
  func clients() throws {
    func client(_ id: String, _ redirects: [String], _ change: (inout ClientRecord) -> Void = { _ in }) throws -> ClientRecord {
      var record = ClientRecord(
        id: ClientID(rawValue: id), name: id, type: .public, applicationType: .native,
        redirectURIs: try redirects.map { try RedirectURI($0) }, scope: "openid", createdAt: Self.now)
      change(&record)
      return record
    }
    let configuration = SallyportServer.ServerConfiguration(issuer: try Issuer("https://id.example.com"))
    func levels(_ clients: [ClientRecord]) -> [Finding.Level] {
      self.levels(ClientsCheckup(clients: clients, configuration: configuration).findings())
    }
    let good = try client("notes", ["http://127.0.0.1/cb", "com.example.app:/cb"])
    #expect(levels([good]) == [.ok])
    #expect(levels([good, try client("b", ["com.example.app:/b"])]) == [.warning])
    #expect(levels([try client("c", ["http://localhost:5/cb"])]) == [.warning])
    #expect(levels([try client("d", ["https://app.example/cb"]) { $0.name = " " }]) == [.problem])
    // A client ID must not begin with the prefix of account IDs.
    #expect(levels([try client("acct-e", ["https://app.example/cb"])]) == [.problem])
    #expect(levels([try client("f", [])]) == [.problem])
    let web = try client("g", ["com.example.g:/cb"]) {
      $0.applicationType = .web
      $0.type = .confidential
      $0.authenticationMethod = .clientSecretBasic
    }
    #expect(levels([web]) == [.problem])
    #expect(levels([try client("h", ["https://app.example/cb"]) { $0.authenticationMethod = .privateKeyJWT }]) == [.problem])
    #expect(levels([try client("i", ["http://localhost/cb"]) { $0.origin = .dynamic }]) == [.ok])
    #expect(levels([try client("j", ["https://app.example/cb"]) { $0.details.requiredContext = "phr" }]) == [.ok])
    // Passkeys reach the level phrh only if the server requires attestation, which this server does not.
    #expect(levels([try client("k", ["https://app.example/cb"]) { $0.details.requiredContext = "phrh" }]) == [.problem])
  }

  /// Returns the findings about an issuer. A fake transport returns its metadata and its key set.
  /// - Parameters:
  ///   - keys: The IDs of the signing keys in the database.
  ///   - published: The IDs of the keys in the key set.
  ///   - clockDifference: The seconds by which this machine's clock is ahead of the `Date` field of the responses.
  ///   - status: The status of the responses.
  ///   - change: Changes the metadata.
  private func issuer(
    keys: [String] = ["a"], published: [String] = ["a", "b"], clockDifference: Int64 = 0, status: Int = 200,
    _ change: (inout ServerMetadata) -> Void = { _ in }
  ) async throws -> [Finding] {
    let configuration = SallyportServer.ServerConfiguration(issuer: try Issuer("https://id.example.com"))
    var metadata = configuration.metadata()
    change(&metadata)
    let transport = FakeTransport()
    var head = HTTPResponse(status: .init(code: status))
    // The same time as `now`.
    head.headerFields[.date] = "Fri, 15 Jan 2027 08:00:00 GMT"
    transport.on(
      "https://id.example.com/.well-known/openid-configuration",
      respond: TransportResponse(head: head, body: Array(try JSONEncoder().encode(metadata))))
    let set = ["keys": published.map { ["kid": $0] }]
    transport.on(
      "https://id.example.com/jwks.json", respond: TransportResponse(head: head, body: Array(try JSONEncoder().encode(set))))
    return await IssuerCheckup(
      configuration: configuration, signingKeys: keys, transport: transport, now: { Self.now + .seconds(clockDifference) }
    ).findings()
  }

  @Test("an issuer is reported if it publishes another issuer, endpoint, or key set, if it redirects, or if its clock differs")
  func issuer() async throws {
    #expect(self.levels(try await self.issuer()) == [.ok])
    #expect(self.levels(try await self.issuer { $0.issuer = "https://id.example.com/" }) == [.problem])
    #expect(self.levels(try await self.issuer { $0.tokenEndpoint = "https://id.example.com/t" }) == [.warning])
    #expect(self.levels(try await self.issuer(keys: ["c"])) == [.problem])
    #expect(self.levels(try await self.issuer(status: 301)) == [.problem])
    #expect(self.levels(try await self.issuer(clockDifference: 5)) == [.ok])
    #expect(self.levels(try await self.issuer(clockDifference: 20)) == [.warning])
    #expect(self.levels(try await self.issuer(clockDifference: -200)) == [.problem])
  }

  @Test("files that other users can access, missing files, and an interrupted restore are reported")
  func files() throws {
    let folder = try Folder()
    defer { folder.remove() }
    #expect(self.levels(FilesCheckup(data: folder.path).findings()) == [.problem])
    for name in ["sallyport.db", "key"] { try folder.write("", to: name) }
    #expect(!FilesCheckup(data: folder.path).findings().contains { $0.level == .problem })
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(folder.path)/key")
    #expect(self.levels(FilesCheckup(data: folder.path).findings()).contains(.problem))
    #expect(!FilesCheckup(data: folder.path).canCheckDatabase)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/key")
    #expect(FilesCheckup(data: folder.path).canCheckDatabase)
    let leftovers: [(String, Finding.Level)] = [
      ("\(DataFiles.staged)AbCdEf", .warning), ("replaced-20261121T100000Z", .warning), ("restoring", .problem),
    ]
    // The message about `restoring` does not contain the name of the file.
    for (name, level) in leftovers {
      try folder.write("", to: name)
      let found = FilesCheckup(data: folder.path).findings()
      #expect(found.contains { $0.level == level && ($0.text.contains(name) || name == "restoring") }, "\(name)")
    }
    #expect(!FilesCheckup(data: folder.path).canCheckDatabase)
    try FileManager.default.removeItem(atPath: "\(folder.path)/key")
    #expect(FilesCheckup(data: folder.path).findings().contains { $0.level == .problem && $0.text.contains("missing") })
  }

  @Test("a nearly full disk, free space of less than twice the size of the database, and a large write-ahead log are reported")
  func freeSpace() throws {
    let folder = try Folder()
    defer { folder.remove() }
    for name in ["sallyport.db", "key"] { try folder.write("", to: name) }
    // `free` is in mebibytes.
    func levels(free: Int?) -> [Finding.Level] { self.levels(FilesCheckup(data: folder.path, free: free).findings()) }
    #expect(levels(free: 63) == [.problem] && levels(free: 64) == [.warning] && levels(free: 511) == [.warning])
    #expect(levels(free: 512) == [.ok] && levels(free: nil) == [.ok])
    #expect(FilesCheckup(data: folder.path).free.map { $0 > 0 } == true)
    try folder.grow("sallyport.db", to: 300)
    #expect(levels(free: 512) == [.warning] && levels(free: 600) == [.ok])
    try folder.grow("sallyport.db-wal", to: 258)
    #expect(levels(free: 600) == [.warning])
  }
}
