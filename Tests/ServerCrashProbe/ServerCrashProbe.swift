import SallyportProtocol
import SallyportServer
import ServerTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the token endpoint on standard input and output instead of HTTP, with the database whose path or URL is the
/// first argument. A request is a line with a number and a form. Its response is a line with the same number and `ok`
/// with the refresh token, `refused` with a reason, or `later` if the store is unavailable. The first line of output is
/// `ready`. The second argument is the average number of commits after which the process kills itself before it
/// responds.
@main
struct ServerCrashProbe {
  static func main() throws {
    guard let commitsPerKill = Int(CommandLine.arguments[2]) else {
      fatalError("the number of commits is not an integer: \(CommandLine.arguments[2])")
    }
    let store = FatalStore(base: try TestDatabase.open(CommandLine.arguments[1]), commitsPerKill: commitsPerKill)
    let server = AuthorizationServer(
      configuration: ServerConfiguration(issuer: try Issuer("https://id.example")), store: store,
      masterKey: try TestKeys.masterKey(), hasher: TestPasswordHasher())
    Self.writeLine("ready")
    // The main thread only reads lines, so that requests run concurrently.
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { continue }
      Task.detached { Self.writeLine("\(words[0]) \(await Self.response(to: words[1], of: server))") }
    }
  }

  private static func response(to form: String, of server: AuthorizationServer) async -> String {
    do throws(TokenError) {
      let issued = try await server.token.respond(
        to: form, authorization: nil, origin: .request("test", from: nil), from: .unknown)
      return "ok \(issued.response.refreshToken?.reveal() ?? "-")"
    } catch {
      // The store cannot be used at present, for example because the disk is full.
      if case .request(.storage) = error { return "later" }
      return "refused \(error.reason)"
    }
  }

  /// Writes a line. POSIX guarantees that short lines are written to a pipe atomically (PIPE_BUF).
  private static func writeLine(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    guard write(1, bytes, bytes.count) == bytes.count else { exit(1) }
  }
}
