import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs the command and ends with one of the documented exit codes.
@main
enum Main {
  static func main() {
    MainThreadExecutor().run { exit(await self.run().rawValue) }
  }

  private static func run() async -> ExitStatus {
    do {
      // What scripts call again and again has nothing to parse, and finding that out by reflection takes longer than all the rest.
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
      Output.talk(failure.message)
      return failure.status
    } catch let error as ValidationError {
      Output.talk("Error: \(error.message)")
      return .usage
    } catch {
      return self.explain(error)
    }
  }

  /// Help and versions are answers; everything else that ArgumentParser throws is about how the command was written.
  private static func explain(_ error: any Error) -> ExitStatus {
    let text = RootCommand.fullMessage(for: error)
    guard RootCommand.exitCode(for: error) != .success else {
      Output.result(text)
      return .done
    }
    Output.talk(text)
    return .usage
  }
}
