import ArgumentParser
import SallyportSystem

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
    MainThreadExecutor().run { exit(self.status(after: await self.run()).rawValue) }
  }

  /// The exit status of a command whose own status is given. If its output is incomplete, success becomes a failure.
  private static func status(after status: ExitStatus) -> ExitStatus {
    guard status == .done, let error = StandardStream.outputError else { return status }
    // A program that closes the pipe, such as `head`, doesn't need the rest, so there is no message.
    if !error.isBrokenPipe {
      let failure = CommandFailure(.failed, "The output is incomplete, because standard output cannot be written: \(error).")
      failure.report(json: Arguments.requestsJSON)
    }
    return .failed
  }

  private static func run() async -> ExitStatus {
    do {
      // With its common options, `sallyport token` is parsed without ArgumentParser, which would take longer than the
      // command itself.
      if let arguments = TokenArguments(CommandLine.arguments.dropFirst()) {
        try await TokenCommand.print(of: arguments.choice, refreshing: arguments.isRefresh, as: arguments.format ?? .text)
        return .done
      }
      var command = try RootCommand.parseAsRoot()
      let isVerbose = (command as? any VerboseCommand)?.verbosity.verbose ?? false
      try await Verbosity.$isOn.withValue(isVerbose) {
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      }
      return .done
    } catch let failure as CommandFailure {
      failure.report(json: Arguments.requestsJSON)
      return failure.status
    } catch let error as ValidationError {
      CommandFailure(error).report(json: Arguments.requestsJSON)
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
    if let failure = CommandNames.failure(for: Array(CommandLine.arguments.dropFirst())) {
      failure.report(json: Arguments.requestsJSON)
      return failure.status
    }
    guard Arguments.requestsJSON else {
      Output.message(text)
      return .usage
    }
    CommandFailure(.usage, RootCommand.message(for: error), "Run the command with --help.").report(json: true)
    return .usage
  }
}
