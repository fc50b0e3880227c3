import ArgumentParser
import FoundationEssentials
import SallyportArgon2
import SallyportPostgres
import SallyportProtocol
import SallyportServer

/// The options that select the data directory and the database, common to most subcommands.
struct DataOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The data directory, which contains the database and the key file. (default: ./sallyport-data)", valueName: "dir"))
  var data: String?
  @Option(help: Self.databaseHelp) var database: String?
  @Option(
    help: ArgumentHelp("The server's settings file, which specifies the data directory and the database.", valueName: "file"))
  var config: String?

  static let databaseHelp = ArgumentHelp(
    "The URL of a PostgreSQL database, such as postgres://sallyport@db.example/sallyport, without a password. The data directory then contains the key file, but no database. (default: SQLite in the data directory)",
    valueName: "url")

  /// Opens the data directory, after connecting to the database if it is in PostgreSQL, and checks that the key file
  /// decrypts the signing keys. If the directory does not exist, creates it and prints a message, because the path may
  /// be mistyped.
  /// - Parameter replacesLostKey: Whether to accept a key file that cannot decrypt the signing keys, and to create a
  ///   key file if there is none. The caller must then replace the signing keys.
  func open(replacingLostKey replacesLostKey: Bool = false) async throws -> DataDirectory {
    // An operator can wait longer than a client of the server.
    var limits = PostgresStore.Limits()
    limits.requestTimeout = .seconds(20)
    limits.connectTimeout = .seconds(5)
    let path = try self.path()
    let isNew = !FileSystem.exists(path)
    let directory =
      if let address = try self.address() {
        try await DataDirectory.open(
          path: path, connectingTo: PostgresStore(address, limits: limits), replacesLostKey: replacesLostKey)
      } else {
        try DataDirectory(path: path, replacesLostKey: replacesLostKey)
      }
    if isNew { Console.printMessage("sallyportd: created the data directory \(path)") }
    if !replacesLostKey { try await directory.checkKeyFile() }
    return directory
  }

  /// The address of the PostgreSQL database; nil for a SQLite database. As with `serve`, the option takes precedence
  /// over the environment, and the environment over the settings file.
  func address(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SettingsMistakes) -> PostgresAddress? {
    var sources = try self.sources(environment)
    if let database = self.database {
      sources.insert(SettingSource(flags: [.database: ("--database", [database])]), at: 0)
    }
    return try Self.read(sources) { $0.readDatabase() }
  }

  /// Throws if the database is not a file in the data directory.
  /// - Parameter name: The name of the subcommand.
  func requireSQLite(for name: String) throws {
    guard try self.address() == nil else {
      throw Failure(
        """
        '\(name)' works only with a SQLite database; for PostgreSQL, use pg_dump or a base backup (pg_basebackup) with a WAL \
        archive, and copy the key file
        """)
    }
  }

  /// The path of the data directory, with the precedence of `serve`: the option, the environment, the settings file.
  func path(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    if let data = self.data { return data }
    let sources = try self.sources(environment)
    return Self.value(of: .data, in: sources) ?? "./sallyport-data"
  }

  /// The private-use schemes without a period that the server's settings allow.
  func schemes(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Set<String> {
    try Self.read(try self.sources(environment)) { $0.readSchemes() } ?? []
  }

  /// Creates the ``KeyManagement`` for a data directory, with the lifetimes in the server's settings.
  func keys(
    in directory: DataDirectory, environment: [String: String] = ProcessInfo.processInfo.environment,
    now: @escaping TimeSource = Timestamp.now
  ) throws -> KeyManagement {
    var lifetimes = Lifetimes()
    try Self.read(try self.sources(environment)) { lifetimes.read(&$0) }
    return KeyManagement(store: directory.store, masterKey: directory.masterKey, lifetimes: lifetimes, now: now)
  }

  /// The accounts in the database. The password policy treats the issuer's host and the server's name as easy to guess,
  /// if the settings contain them.
  ///
  /// Ignores an invalid issuer, because `serve` reports it.
  func accounts(environment: [String: String] = ProcessInfo.processInfo.environment) async throws -> Accounts {
    // ``open(replacingLostKey:)`` reports settings that cannot be read.
    let sources = (try? self.sources(environment)) ?? []
    let host = Self.value(of: .issuer, in: sources).flatMap { try? Issuer($0) }?.host
    let names = [host, Self.value(of: .name, in: sources)].compactMap(\.self)
    return Accounts(
      store: try await self.open().store, hasher: Argon2PasswordHasher(), policy: PasswordPolicy(serverNames: names))
  }

  /// The one-time links with which users set a new password or confirm an email address.
  /// - Parameter sendingMail: Whether the links are mailed. This requires the setting `mail.from`.
  func accountLinks(
    sendingMail: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws -> AccountLinks {
    let mail = try Self.read(try self.sources(environment)) { $0.readMail() }
    if sendingMail, mail == nil {
      throw Failure("the settings do not contain mail.from, so the server sends no mail; specify its settings file with --config")
    }
    let (directory, issuer) = try await self.openWithIssuer(environment)
    let accounts = Accounts(store: directory.store, hasher: Argon2PasswordHasher())
    return AccountLinks(accounts: accounts, issuer: issuer, masterKey: directory.masterKey)
  }

  /// The links with which users create accounts.
  func signUps(environment: [String: String] = ProcessInfo.processInfo.environment) async throws -> SignUps {
    let policy = try Self.read(try self.sources(environment)) { $0.readSignUp() }
    let (directory, issuer) = try await self.openWithIssuer(environment)
    let accounts = Accounts(store: directory.store, hasher: Argon2PasswordHasher())
    return SignUps(accounts: accounts, issuer: issuer, policy: policy, masterKey: directory.masterKey)
  }

  /// Opens the data directory, and returns the issuer for links.
  private func openWithIssuer(_ environment: [String: String]) async throws -> (DataDirectory, Issuer) {
    let directory = try await self.open()
    guard let issuer = try self.knownIssuer(environment: environment) else {
      throw Failure("the issuer is not known, because the server has never run with this data directory; specify --config")
    }
    return (directory, issuer)
  }

  /// The issuer in the settings, or else the issuer with which the server first ran with this data directory; nil if
  /// neither is known.
  /// - Throws: ``SettingsMistakes`` if the issuer in the settings is invalid.
  func knownIssuer(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Issuer? {
    if let issuer = try Self.read(try self.sources(environment), { ServerSettings.readIssuer(&$0) }) { return issuer }
    return IssuerFile(path: "\(try self.path(environment: environment))/\(DataFiles.issuer)").issuer.flatMap { try? Issuer($0) }
  }

  /// The sources of settings, in the order of their precedence.
  private func sources(_ environment: [String: String]) throws(SettingsMistakes) -> [SettingSource] {
    var sources = [SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    let mistakes = sources.flatMap(\.mistakes)
    guard mistakes.isEmpty else { throw SettingsMistakes(list: mistakes) }
    return sources
  }

  /// Reads settings from these sources.
  /// - Throws: An error that lists all mistakes in these settings.
  private static func read<Value>(
    _ sources: [SettingSource], _ body: (inout SettingsReader) -> Value
  ) throws(SettingsMistakes) -> Value {
    var reader = SettingsReader(sources)
    let value = body(&reader)
    guard reader.mistakes.isEmpty else { throw SettingsMistakes(list: reader.mistakes) }
    return value
  }

  private static func value(of setting: Setting, in sources: [SettingSource]) -> String? {
    sources.lazy.compactMap { $0.given[setting]?.values.first }.first
  }
}
