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

  /// Where it is, by the rules of `serve`: the flag wins over the environment, and that over the file.
  func path(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    if let data = self.data { return data }
    var sources = [SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    let mistakes = sources.flatMap(\.mistakes)
    guard mistakes.isEmpty else { throw SettingsMistakes(list: mistakes) }
    let said = sources.lazy.compactMap { $0.given[.data]?.values.first }.first
    return said ?? "./sallyport-data"
  }
}
