import BrowserDriver
import Foundation

/// A D-Bus session bus with an unlocked keyring for one user.
struct SecretService: Sendable {
  let bus: ChildProcess
  let keyring: ChildProcess
  /// The address of the bus, the value of `DBUS_SESSION_BUS_ADDRESS`.
  let address: String

  static func start(for user: UserHome) async throws -> SecretService {
    let bus = try ChildProcess(
      ChildCommand("/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address=1"], environment: user.environment),
      folder: user.folder)
    let address = try await eventually("the session bus") {
      if let status = bus.exitStatus { throw UnexpectedResult("dbus-daemon ended with \(status): \(bus.errorOutput)") }
      return bus.output.contains("\n") ? bus.output.trimmingCharacters(in: .newlines) : nil
    }
    var environment = user.environment
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    let keyring = try ChildProcess(
      ChildCommand(
        "/usr/bin/gnome-keyring-daemon", ["--unlock", "--components=secrets", "--foreground"], environment: environment,
        input: Array("the keyring's password".utf8)),
      folder: user.folder)
    // Asks the bus whether a program provides the Secret Service.
    let ownerQuery = ChildCommand(
      "/usr/bin/dbus-send",
      [
        "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
        "string:org.freedesktop.secrets",
      ], environment: environment)
    try await eventually("the keyring") {
      if let status = keyring.exitStatus { throw UnexpectedResult("gnome-keyring-daemon: \(status): \(keyring.errorOutput)") }
      return try await run(ownerQuery, folder: user.folder).output.contains("boolean true") ? () : nil
    }
    return SecretService(bus: bus, keyring: keyring, address: address)
  }

  func end() {
    self.keyring.end()
    self.bus.end()
  }
}
