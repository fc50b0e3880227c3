import BrowserDriver

/// The program oidc-agent, which stores a user's tokens and provides them over a socket.
struct OIDCAgent: Sendable {
  static let account = "notes"

  let folder: String
  /// The port of the redirect URI.
  let port: UInt16

  init(folder: String) throws {
    self.folder = folder
    self.port = try freePort()
  }

  private var socket: String { "\(self.folder)/agent" }

  /// Starts the agent, and returns when it listens on its socket.
  func start() async throws -> ChildProcess {
    let agent = try ChildProcess(
      self.command("oidc-agent", ["--console", "--no-autoload", "--socket-path", self.socket]), folder: self.folder)
    do {
      try await eventually("oidc-agent to listen") {
        if let status = agent.exitStatus { throw UnexpectedResult("oidc-agent ended with \(status): \(agent.errorOutput)") }
        return isSocket(self.socket) ? () : nil
      }
      return agent
    } catch {
      agent.end()
      throw error
    }
  }

  /// Starts `oidc-gen`, which registers a client and waits until the user has signed in and consented.
  func startAccountGenerator(issuer: String) throws -> ChildProcess {
    let arguments = [
      "--issuer", issuer, "--scope", "openid profile offline_access", "--flow=code", "--port", "\(self.port)", "--no-url-call",
      "--prompt=none", "--confirm-yes", "--pw-env", Self.account,
    ]
    return try ChildProcess(self.command("oidc-gen", arguments), folder: self.folder)
  }

  /// Returns an access token of the account.
  /// - Parameter forcingRefresh: Whether the agent must refresh the token first.
  func token(forcingRefresh: Bool = false) async throws -> String {
    let arguments = (forcingRefresh ? ["--force-new"] : []) + [Self.account]
    let finished = try await run(self.command("oidc-token", arguments), folder: self.folder)
    guard finished.status == .exited(0), !finished.line.isEmpty else { throw UnexpectedResult("oidc-token: \(finished)") }
    return finished.line
  }

  private func command(_ name: String, _ arguments: [String]) -> ChildCommand {
    ChildCommand(
      "\(Peers.oidcAgent)/\(name)", arguments,
      environment: [
        "HOME": self.folder, "TMPDIR": self.folder, "PATH": "\(Peers.oidcAgent):/usr/bin:/bin", "OIDC_SOCK": self.socket,
        "OIDC_ENCRYPTION_PW": "a-password-for-one-test",
      ])
  }
}
