import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote

/// OAuth and OpenID Connect implementations of other projects, which the tests run against.
/// `Scripts/peers` downloads them.
enum Peers {
  /// The folder that contains the peers, from the environment variable `SALLYPORT_PEERS`, which `Scripts/test` sets.
  /// Tests that need a peer run only if the variable is set, and fail if a program is missing.
  static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PEERS"]

  static let areAvailable = folder != nil
  static let hint = "needs SALLYPORT_PEERS=$(Scripts/peers)"

  /// The Python interpreter in whose environment the Python peers are installed.
  static var python: String { "\(self.folder ?? "")/venv/bin/python" }
  /// The folder in which Glewlwyd is installed.
  static var glewlwyd: String { "\(self.folder ?? "")/glewlwyd/usr" }
  /// The folder of the executables of oidc-agent.
  static var oidcAgent: String { "\(self.folder ?? "")/oidc-agent/usr/bin" }
  /// The folder in which Apache and its OpenID Connect module are installed.
  static var apache: String { "\(self.folder ?? "")/apache/usr" }
  /// The folder in which LemonLDAP::NG is installed.
  static var lemonLDAP: String { "\(self.folder ?? "")/lemonldap/usr" }

  /// The path of a program in `Tests/Peers`.
  static func path(of name: String) -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return tests.appending(path: "Peers/\(name)").path
  }

  /// A command that runs a Python program in `Tests/Peers`.
  static func script(_ name: String, _ arguments: [String], input: String = "") -> ChildCommand {
    ChildCommand(
      self.python, [self.path(of: name)] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"], input: Array(input.utf8))
  }

  /// Starts a server, and returns when it responds to a request. A server may log that it is ready before it accepts
  /// connections, so its output is not sufficient.
  /// - Parameter url: An `http` URL of the server.
  static func start(_ command: ChildCommand, folder: String, at url: String) async throws -> ChildProcess {
    let server = try ChildProcess(command, folder: folder)
    let request = HTTPRequest.get(try EndpointURL(url))
    do {
      try await AsyncHTTPClientTransport.withTransport { transport in
        try await eventually("a response from \(url)") {
          if let status = server.exitStatus {
            throw UnexpectedResult("the server ended with \(status): \(server.output)\(server.errorOutput)")
          }
          return (try? await transport.send(request, body: [], limits: .document)) == nil ? nil : ()
        }
      }
      return server
    } catch {
      server.end()
      throw error
    }
  }
}
