import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import SocketTestSupport
import TestSupport
import Testing

@testable import SallyportDaemon

@Suite("What the doctor finds")
struct DoctorTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private func levels(_ findings: [Finding]) -> [Finding.Level] { findings.map(\.level) }

  @Test("a clock before this version was made, and one that nothing keeps right")
  func clock() {
    #expect(self.levels(ClockCheckup(now: Timestamp(seconds: 1_000), isSynchronised: true).findings()) == [.problem])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronised: false).findings()) == [.warning])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronised: true).findings()) == [.ok])
    #expect(self.levels(ClockCheckup(now: Self.now, isSynchronised: nil).findings()) == [.ok])
  }

  @Test(
    "a certificate's name covers the host itself, or one label by a star",
    arguments: [
      ("id.example.com", "id.example.com", true), ("*.example.com", "id.example.com", true),
      ("*.example.com", "a.id.example.com", false), ("*.example.com", "example.com", false),
      ("example.com", "id.example.com", false),
    ])
  func certificateNames(name: String, host: String, isCovered: Bool) {
    #expect(CertificateCheckup.covers(name, host) == isCovered)
  }

  @Test("a certificate that ends soon, ended, is for another host, or whose key everybody can read")
  func certificates() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let files = try folder.certificate(TestCertificates(validFor: -3600...86_400 * 30))
    func levels(host: String = "localhost", days: Int64) -> [Finding.Level] {
      self.levels(CertificateCheckup(files: files, host: host, now: .now() + .seconds(days * 86_400)).findings())
    }
    #expect(levels(days: 0) == [.ok])
    #expect(levels(days: 20) == [.warning])
    #expect(levels(days: 31) == [.problem])
    #expect(levels(host: "id.example.com", days: 0) == [.problem])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.key)
    #expect(levels(days: 0) == [.problem])
  }

  @Test("keys: of another key file, older than a year, none that signs, from the future")
  func keys() throws {
    let material = MasterKey.randomMaterial()
    let master = try #require(MasterKey(material))
    let other = try #require(MasterKey(MasterKey.randomMaterial()))
    func keys(_ key: MasterKey, age: Duration = .zero) throws -> [SigningKeyRecord] {
      try SigningKey.Algorithm.allCases.map {
        try KeySealer(key).record(of: .generate($0), created: Self.now - age, active: Self.now - age)
      }
    }
    func levels(_ keys: [SigningKeyRecord]) -> [Finding.Level] {
      self.levels(KeysCheckup(keys: keys, masterKey: master, now: Self.now).findings())
    }
    #expect(levels(try keys(master)) == [.ok])
    #expect(levels(try keys(other)) == [.problem, .problem])
    #expect(levels(try keys(master, age: .seconds(400 * 86_400))) == [.warning, .warning])
    #expect(levels([]) == [.warning, .warning])
    #expect(levels(Array(try keys(master).prefix(1))) == [.problem])
    #expect(levels(try keys(master, age: .seconds(-3600))) == [.problem, .problem, .problem])
  }

  @Test("S-32 S-07: registrations that break a rule, whoever wrote them into the database, and weak ones")
  func clients() throws {
    func client(_ id: String, _ redirects: [String], _ change: (inout ClientRecord) -> Void = { _ in }) throws -> ClientRecord {
      var record = ClientRecord(
        id: ClientID(rawValue: id), name: id, type: .public, applicationType: .native,
        redirectURIs: try redirects.map { try RedirectURI($0) }, scope: "openid", createdAt: Self.now)
      change(&record)
      return record
    }
    func levels(_ clients: [ClientRecord]) -> [Finding.Level] {
      self.levels(ClientsCheckup(clients: clients, policy: RegistrationPolicy()).findings())
    }
    let good = try client("notes", ["http://127.0.0.1/cb", "com.example.app:/cb"])
    #expect(levels([good]) == [.ok])
    #expect(levels([good, try client("b", ["com.example.app:/b"])]) == [.warning])
    #expect(levels([try client("c", ["http://localhost:5/cb"])]) == [.warning])
    #expect(levels([try client("d", ["https://app.example/cb"]) { $0.name = " " }]) == [.problem])
    #expect(levels([try client("acct-e", ["https://app.example/cb"])]) == [.problem])
    #expect(levels([try client("f", [])]) == [.problem])
    let web = try client("g", ["http://127.0.0.1/cb"]) {
      $0.applicationType = .web
      $0.type = .confidential
      $0.authenticationMethod = .clientSecretBasic
    }
    #expect(levels([web]) == [.problem])
    #expect(levels([try client("h", ["https://app.example/cb"]) { $0.authenticationMethod = .clientSecretBasic }]) == [.problem])
  }

  private func issuer(
    keys: [String] = ["a"], published: [String] = ["a", "b"], apart: Int64 = 0, status: Int = 200,
    _ change: (inout ServerMetadata) -> Void = { _ in }
  ) async throws -> [Finding] {
    let configuration = ServerConfiguration(issuer: try Issuer("https://id.example.com"))
    var metadata = configuration.metadata
    change(&metadata)
    let transport = FakeTransport()
    var head = HTTPResponse(status: .init(code: status))
    head.headerFields[.date] = "Fri, 15 Jan 2027 08:00:00 GMT"
    transport.on(
      "https://id.example.com/.well-known/openid-configuration",
      respond: TransportResponse(head: head, body: Array(try JSONEncoder().encode(metadata))))
    let set = ["keys": published.map { ["kid": $0] }]
    transport.on(
      "https://id.example.com/jwks.json", respond: TransportResponse(head: head, body: Array(try JSONEncoder().encode(set))))
    return await IssuerCheckup(
      configuration: configuration, signingKeys: keys, transport: transport, now: { Self.now + .seconds(apart) }
    ).findings()
  }

  @Test("the issuer's address answers as this server, as another one, with other keys, by a redirect, at another time")
  func issuer() async throws {
    #expect(self.levels(try await self.issuer()) == [.ok])
    #expect(self.levels(try await self.issuer { $0.issuer = "https://id.example.com/" }) == [.problem])
    #expect(self.levels(try await self.issuer { $0.tokenEndpoint = "https://id.example.com/t" }) == [.warning])
    #expect(self.levels(try await self.issuer(keys: ["c"])) == [.problem])
    #expect(self.levels(try await self.issuer(status: 301)) == [.problem])
    #expect(self.levels(try await self.issuer(apart: 20)) == [.warning])
    #expect(self.levels(try await self.issuer(apart: -200)) == [.problem])
  }

  @Test("files that are open to others, that are missing, and a restore that was interrupted")
  func files() throws {
    let folder = try Folder()
    defer { folder.remove() }
    #expect(self.levels(FilesCheckup(data: folder.path).findings()) == [.problem])
    for name in ["sallyport.db", "key"] { try folder.write("", to: name) }
    #expect(!FilesCheckup(data: folder.path).findings().contains { $0.level == .problem })
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(folder.path)/key")
    #expect(self.levels(FilesCheckup(data: folder.path).findings()).contains(.problem))
    #expect(!FilesCheckup(data: folder.path).isReadable)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/key")
    #expect(FilesCheckup(data: folder.path).isReadable)
    for (name, level) in [("staged", Finding.Level.warning), ("replaced-20261121T100000Z", .warning), ("restoring", .problem)] {
      try folder.write("", to: name)
      let found = FilesCheckup(data: folder.path).findings()
      #expect(found.contains { $0.level == level && ($0.text.contains(name) || name == "restoring") }, "\(name)")
    }
    #expect(!FilesCheckup(data: folder.path).isReadable)
    try FileManager.default.removeItem(atPath: "\(folder.path)/key")
    #expect(FilesCheckup(data: folder.path).findings().contains { $0.level == .problem && $0.text.contains("missing") })
  }
}

/// A folder of one test, for its owner only.
struct Folder {
  let path = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = "\(self.path)/\(name)"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return file
  }

  @discardableResult
  func certificate(_ made: TestCertificates) throws -> CertificateFiles {
    CertificateFiles(
      certificate: try self.write(made.serverPEM.certificate, to: "chain.pem"),
      key: try self.write(made.serverPEM.key, to: "key.pem"))
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: self.path)
  }
}
