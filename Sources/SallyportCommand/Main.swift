import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs the command and exits with one of the documented exit codes.
@main
enum Main {
  static func main() {
    MainThreadExecutor().run { exit(await self.run().rawValue) }
  }

  private static func run() async -> ExitStatus {
    do {
      // Scripts call this command frequently. Parsing its (empty) arguments would take longer than the rest of the
      // work.
      if CommandLine.arguments.dropFirst() == ["token"] {
        try await TokenCommand.print()
        return .done
      }
      var command = try RootCommand.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .done
    } catch let failure as CommandFailure {
      Output.message(failure.message)
      return failure.status
    } catch let error as ValidationError {
      Output.message("Error: \(error.message)")
      return .usage
    } catch {
      return self.explain(error)
    }
  }

  /// Handles the errors of ArgumentParser. Help and version output is a success; everything else is a usage error.
  private static func explain(_ error: any Error) -> ExitStatus {
    let text = RootCommand.fullMessage(for: error)
    guard RootCommand.exitCode(for: error) != .success else {
      Output.result(text)
      return .done
    }
    Output.message(text)
    return .usage
  }
}
