import Hummingbird
import JWTKit
import Logging
import SallyportProtocol
import SallyportServer

/// Routes that do only the unavoidable work of an endpoint: each one receives the request and, depending on the
/// endpoint, signs tokens with JWTKit, reads rows, or commits rows. Scripts/benchmark compares them with the server's
/// endpoints.
struct BareServer: Sendable {
  private let store: any Store
  private let keys = JWTKeyCollection()
  private let account: AccountID
  private let grants: BareGrants

  /// - Parameters:
  ///   - directory: An existing folder for the database.
  ///   - database: The URL of a PostgreSQL database; nil for SQLite in the folder.
  init(directory: String, database: String? = nil) async throws {
    self.store = try BenchmarkStore.open(database ?? directory + "/bare.db")
    guard let username = Username("ada") else { throw StoreError.rolledBack }
    let record = AccountRecord(
      id: AccountID(rawValue: RandomText.base64URL(bits: 128)), username: username, passwordHash: "", passwordChangedAt: .now(),
      createdAt: .now())
    try await self.store.write { (tx) throws(StoreError) in try tx.insert(record) }
    self.account = record.id
    self.grants = BareGrants(store: self.store)
    // With PostgreSQL, the server that Scripts/benchmark compares with this one also has 200,000 tokens. With SQLite,
    // the number is not important, because Scripts/benchmark does not use the routes `code` and `refresh`.
    try await self.grants.prepare(tokens: database == nil ? 10_000 : 200_000)
    await self.keys.add(ecdsa: ES256PrivateKey(), kid: "example")
  }

  func run(port: Int) async throws {
    let router = Router()
    router.get("bare") { _, _ in ByteBuffer(string: "{}") }
    router.on("read/:rows", method: .get, use: self.read)
    router.on("read/:rows", method: .post, use: self.read)
    router.on("work/:tokens/:rows", method: .get, use: self.work)
    router.on("work/:tokens/:rows", method: .post, use: self.work)
    router.get("code") { _, _ in
      try await self.grants.issueCode()
      return ByteBuffer(string: "{}")
    }
    router.post("code") { request, _ in
      try await Self.receive(request)
      try await self.grants.redeemCode()
      return try await self.sign(2)
    }
    router.post("refresh") { request, _ in
      try await Self.receive(request)
      try await self.grants.rotate()
      return try await self.sign(2)
    }
    var logger = Logger(label: "limits")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
      logger: logger)
    try await application.run()
  }

  /// Looks up a row by its key several times, in one snapshot of the database.
  @Sendable private func read(_ request: Request, _ context: BasicRequestContext) async throws -> ByteBuffer {
    let rows = try context.parameters.require("rows", as: Int.self)
    try await Self.receive(request)
    let account = self.account
    let name = try await self.store.read { (tx) throws(StoreError) in
      var name: String?
      for _ in 0..<rows { name = try tx.account(account)?.username.value }
      return name
    }
    return ByteBuffer(string: name ?? "")
  }

  /// Signs a number of tokens, and then commits a number of rows in one transaction.
  @Sendable private func work(_ request: Request, _ context: BasicRequestContext) async throws -> ByteBuffer {
    let tokens = try context.parameters.require("tokens", as: Int.self)
    let rows = try context.parameters.require("rows", as: Int.self)
    try await Self.receive(request)
    let response = try await self.sign(tokens)
    if rows > 0 { try await self.store.write(rows: rows) }
    return response
  }

  private func sign(_ tokens: Int) async throws -> ByteBuffer {
    var response = ByteBuffer()
    for _ in 0..<tokens { response.writeString(try await self.keys.sign(ExampleClaims(), kid: "example")) }
    return response
  }

  private static func receive(_ request: Request) async throws {
    var request = request
    _ = try await request.collectBody(upTo: 64 << 10)
  }
}
