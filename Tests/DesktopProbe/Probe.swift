import Sallyport
import SallyportDesktop
import SallyportProtocol

/// The program that the tests of `SallyportDesktop` start in a process of its own, so that they can kill it, or run it
/// in another namespace, session, or environment. It prints one line for each event.
@main
struct Probe {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    switch arguments.popFirst() {
    case "round-trip":
      try await RoundTripProbe(refused: Array(arguments)).run()
    case "save":
      try await StoreProbe.saveForever(folder: arguments.popFirst() ?? "")
    case "lease":
      try await StoreProbe.holdLease(folder: arguments.popFirst() ?? "")
    case "count":
      try await StoreProbe.count(folder: arguments.popFirst() ?? "", file: arguments.popFirst() ?? "")
    case "access", "refresh", "refresh-forever":
      let probe = try RefreshProbe(folder: arguments.popFirst() ?? "", issuer: arguments.popFirst() ?? "")
      try await probe.run(CommandLine.arguments[1], arguments.popFirst())
    case "begin", "sign-in", "resume":
      let probe = try SignInProbe(folder: arguments.popFirst() ?? "", issuer: arguments.popFirst() ?? "")
      try await probe.run(CommandLine.arguments[1], arguments.popFirst())
    case "store":
      await StoreProbe.run(commands: Array(arguments))
    default:
      print(
        """
        usage: round-trip [ADDRESS…] | save DIR | lease DIR | count DIR FILE | [access|refresh|refresh-forever] DIR ISSUER [API]
          | [begin|sign-in|resume] DIR ISSUER [URL] | store COMMAND…
        """)
    }
  }
}
