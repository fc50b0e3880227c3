import ArgumentParser
import SallyportPostgres
import SallyportServer

/// `sallyportd store`: prepares a PostgreSQL database, and moves an installation to another database.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Prepare a PostgreSQL database, or move an installation to another database.",
    subcommands: [Init.self, StoreCopyCommand.self])

  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create or migrate the schema of a PostgreSQL database.",
      discussion: """
        'serve' does this itself if its database role is allowed to. If it is not, run this command with a role that may create schemas in
        the database, and name the role of 'serve' with --grant-to. The role of 'serve' then gets the rights to read and change data, but
        not to change the schema. Run the command again before you upgrade the servers. The servers can keep running.
        """)
    @OptionGroup var data: DataOptions
    @Option(help: ArgumentHelp("A role that gets the rights that a server needs.", valueName: "role")) var grantTo: String?
    @Flag(
      name: .customLong("print-sql"), help: "Print the SQL that creates the schema, without connecting to a database.")
    var printSQL = false

    func run() async throws {
      if self.printSQL { return Console.print(PostgresStore.schemaSQL(grantingTo: self.grantTo)) }
      guard let address = try self.data.address() else {
        throw SettingsMistakes(list: ["specify a PostgreSQL database with --database; SQLite needs no preparation"])
      }
      let store = PostgresStore(address)
      defer { store.close() }
      do throws(StoreError) { try await store.updateSchema(grantingTo: self.grantTo) } catch {
        throw Failure("cannot prepare the PostgreSQL database: \(error.reason)", isPermanent: error.isPermanent)
      }
      Console.printMessage("the schema 'sallyport' is current")
    }
  }
}
