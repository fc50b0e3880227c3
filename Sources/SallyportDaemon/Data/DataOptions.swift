import ArgumentParser
import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the server keeps what it knows; the same for every subcommand.
struct DataOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The data directory: the database and the key file. (default: ./sallyport-data)", valueName: "dir"))
  var data: String?
  @Option(help: ArgumentHelp("The server's file of settings, for the data directory that it names.", valueName: "file"))
  var config: String?

  /// Opens the directory, and makes it where there is none.
  func open() throws -> DataDirectory {
    try DataDirectory(path: self.path())
  }

  /// The path of the directory, by the rules of `serve`: the flag wins over the environment, and the environment over the file.
  func path(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    if let data = self.data { return data }
    let said = try self.sources(environment).lazy.compactMap { $0.given[.data]?.values.first }.first
    return said ?? "./sallyport-data"
  }

  /// The private-use schemes without a period that the server's settings allow.
  func schemes(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Set<String> {
    var reader = SettingsReader(try self.sources(environment))
    let schemes = reader.readSchemes()
    guard reader.mistakes.isEmpty else { throw SettingsMistakes(list: reader.mistakes) }
    return schemes ?? []
  }

  private func sources(_ environment: [String: String]) throws -> [SettingSource] {
    var sources = [SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    let mistakes = sources.flatMap(\.mistakes)
    guard mistakes.isEmpty else { throw SettingsMistakes(list: mistakes) }
    return sources
  }
}
