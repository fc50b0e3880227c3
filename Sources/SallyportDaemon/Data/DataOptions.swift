import ArgumentParser
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// Where the server keeps what it knows; the same for every subcommand.
struct DataOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The data directory: the database and the key file.", valueName: "dir"))
  var data = "./sallyport-data"

  /// Opens the directory, and makes it where there is none.
  func open() throws -> DataDirectory {
    try DataDirectory(path: self.data)
  }
}
