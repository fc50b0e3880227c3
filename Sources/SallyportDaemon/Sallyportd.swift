import ArgumentParser
import SallyportProtocol
import SallyportServer

/// `sallyportd`: the authorization server and the commands to operate it.
@main
struct Sallyportd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sallyportd",
    abstract: "An OAuth 2.0 authorization server for native apps (RFC 8252), with OpenID Connect.",
    discussion: """
      Results go to standard output (JSON with --json), everything else to standard error.
      Exit codes: 0 success, 1 failure, 2 invalid usage or settings, 3 the data needs manual repair: it is damaged, only partly restored,
      accessible to other users, or was written by a newer version, or the key file is missing or wrong.
      """,
    version: Self.version,
    subcommands: [
      Serve.self, CheckConfig.self, User.self, ClientCommand.self, UpstreamCommand.self, GrantCommand.self, SessionCommand.self,
      KeyCommand.self,
      AuditCommand.self, BackupCommand.self, RestoreCommand.self, StoreCommand.self, Doctor.self,
    ])
  static let version = SallyportVersion.current

  /// Runs the command. Usage errors exit with 2. See docs/decisions/0044-exit-codes.md.
  static func main() async {
    do {
      var command = try Self.command(for: Array(CommandLine.arguments.dropFirst()))
      if var asyncCommand = command as? any AsyncParsableCommand {
        try await asyncCommand.run()
      } else {
        try command.run()
      }
      try Console.checkOutput()
    } catch let mistakes as SettingsMistakes {
      for mistake in mistakes.list { Console.printMessage("sallyportd: \(mistake)") }
      Self.exit(withError: ExitCode(2))
    } catch let failure as Failure {
      Console.printMessage("sallyportd: \(failure.message)")
      Self.exit(withError: ExitCode(failure.exitCode))
    } catch let error as StoreError {
      let failure = Failure("cannot use the database: \(error.reason)", isPermanent: error.isPermanent)
      Console.printMessage("sallyportd: \(failure.message)")
      Self.exit(withError: ExitCode(failure.exitCode))
    } catch {
      let code = Self.exitCode(for: error)
      guard code == .validationFailure else { Self.exit(withError: error) }
      Console.printMessage(Self.unknownCommand(in: Array(CommandLine.arguments.dropFirst())) ?? Self.fullMessage(for: error))
      Self.exit(withError: ExitCode(2))
    }
  }

  /// The message for arguments that name a command that does not exist, such as `user delete`; nil for all others.
  /// ArgumentParser's own message can be about an argument or option after the unknown command.
  static func unknownCommand(in words: [String]) -> String? {
    var path = ["sallyportd"]
    var command: any ParsableCommand.Type = Self.self
    for word in words {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      guard let next = subcommands.first(where: { $0._commandName == word }) else {
        let name = path.joined(separator: " ")
        return """
          Error: There is no command "\(name) \(word)". The commands are \(subcommands.map { $0._commandName }.joined(separator: ", ")).
          See '\(name) --help' for more information.
          """
      }
      path.append(word)
      command = next
    }
    return nil
  }

  /// Parses the arguments.
  ///
  /// `serve` is first parsed alone, because creating the tree of all commands takes longer than opening the database.
  /// If `serve` cannot parse the arguments, for example because of a mistake or `--help`, the whole tree parses them,
  /// so that messages show the full name and usage.
  static func command(for words: [String]) throws -> any ParsableCommand {
    if words.first == Serve.configuration.commandName, let serve = try? Serve.parse(Array(words.dropFirst())) { return serve }
    return try Self.parseAsRoot(words)
  }
}
