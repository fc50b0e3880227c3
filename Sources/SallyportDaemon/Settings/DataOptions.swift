import ArgumentParser
import FoundationEssentials
import SallyportArgon2
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// The options that select the data directory, common to all subcommands that use it.
struct DataOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The data directory, which contains the database and the key file. (default: ./sallyport-data)", valueName: "dir"))
  var data: String?
  @Option(help: ArgumentHelp("The server's settings file, which specifies the data directory.", valueName: "file"))
  var config: String?

  /// Opens the data directory, and creates it if it does not exist.
  func open() throws -> DataDirectory {
    try DataDirectory(path: self.path())
  }

  /// The path of the data directory, with the precedence of `serve`: the option, the environment, the settings file.
  func path(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    if let data = self.data { return data }
    let sources = try self.sources(environment)
    return Self.value(of: .data, in: sources) ?? "./sallyport-data"
  }

  /// The private-use schemes without a period that the server's settings allow.
  func schemes(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Set<String> {
    var reader = SettingsReader(try self.sources(environment))
    let schemes = reader.readSchemes()
    guard reader.mistakes.isEmpty else { throw SettingsMistakes(list: reader.mistakes) }
    return schemes ?? []
  }

  /// The accounts in the directory. The password policy treats the issuer's host and the server's name as easy to guess
  /// if the settings contain them.
  ///
  /// Ignores mistakes in the settings, because `serve` reports them.
  func accounts(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Accounts {
    let sources = (try? self.sources(environment)) ?? []
    let host = Self.value(of: .issuer, in: sources).flatMap { try? Issuer($0) }?.host
    let names = [host, Self.value(of: .name, in: sources)].compactMap(\.self)
    return Accounts(
      store: try self.open().store, hasher: Argon2PasswordHasher(), policy: PasswordPolicy(serverNames: names))
  }

  /// The sources of settings, in the order of their precedence.
  private func sources(_ environment: [String: String]) throws -> [SettingSource] {
    var sources = [SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    let mistakes = sources.flatMap(\.mistakes)
    guard mistakes.isEmpty else { throw SettingsMistakes(list: mistakes) }
    return sources
  }

  private static func value(of setting: Setting, in sources: [SettingSource]) -> String? {
    sources.lazy.compactMap { $0.given[setting]?.values.first }.first
  }
}
