import ArgumentParser
import HTTPTypes
import SallyportRemote

/// The option that makes a command explain what it does.
struct VerbosityOptions: ParsableArguments {
  @Flag(help: "Print each step and each request to standard error, without secrets.")
  var verbose = false
}

/// A command that can explain what it does.
protocol VerboseCommand {
  var verbosity: VerbosityOptions { get }
}

/// Whether the running command explains what it does.
enum Verbosity {
  @TaskLocal static var isOn = false

  /// Writes a step to standard error if the user wants to see it.
  static func note(_ text: @autoclosure () -> String) {
    if self.isOn { Output.message("* \(text())") }
  }
}

/// Prints the method, the URL without its query, the status, and the duration of each request. Header fields, queries,
/// and bodies can contain secrets, so they are not printed.
struct VerboseTransport: Transport {
  let base: any Transport

  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse {
    let path = (request.path ?? "").prefix { $0 != "?" }
    let target = Printable.text("\(request.method) \(request.scheme ?? "")://\(request.authority ?? "")\(path)")
    let start = ContinuousClock.now
    do {
      let response = try await self.base.send(request, body: body, limits: limits)
      Output.message("* \(target): status \(response.head.status.code) after \(Self.milliseconds(since: start)) ms")
      return response
    } catch {
      Output.message("* \(target): failed after \(Self.milliseconds(since: start)) ms")
      throw error
    }
  }

  private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start) / .milliseconds(1))
  }
}
