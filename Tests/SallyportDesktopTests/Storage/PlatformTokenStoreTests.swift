import Glibc
import Testing

@testable import SallyportDesktop

/// Tests `PlatformTokenStore` with a real Secret Service and real files.
///
/// Each test starts processes that share one home folder. Each process runs without a D-Bus session, or in a new
/// session with a new keyring daemon.
///
/// The processes run commands of the probe (`Tests/DesktopProbe/StoreProbe.swift`), which prints one line with the
/// result of each command. `place` prints which store holds the values. `load-secret-service` loads directly from the
/// Secret Service. `application=`, `account=`, and `kind=` print nothing, and apply to the commands after them. After
/// `report`, the probe also prints the events of the store.
@Suite(.timeLimit(.minutes(3)))
struct PlatformTokenStoreTests {
  private let home = TemporaryFolder()

  @Test("C-22: if the Secret Service is available, it stores the values, and no file contains them")
  func secretService() async throws {
    let lines = try await self.inSession("store place load save=one load load-secret-service lease remove load")
    #expect(
      lines == [
        "place: secret-service", "load: nothing", "save: done", "load: one", "load-secret-service: one", "lease: held",
        "remove: done", "load: nothing",
      ])
    let names = TemporaryFolder.names(in: self.home.path + "/.local/share/sallyport-cli")
    // The file `store` records the choice of the store.
    #expect(names.contains("store") && !names.contains { $0.hasSuffix(".sealed") || $0 == "key" })
  }

  @Test(
    "accounts and applications have separate values, and another program can read an application's values by using the application's name"
  )
  func sideBySide() async throws {
    let commands = [
      "save=default", "account=work", "load", "save=work", "application=com.example.notes", "load", "save=notes", "load",
      "application=sallyport-cli", "load", "remove",
    ]
    let expected = [
      "save: done", "load: nothing", "save: done", "load: nothing", "save: done", "load: notes", "load: work", "remove: done",
    ]
    #expect(try await self.inSession("store \(commands.joined(separator: " "))") == expected)
    let others = try await self.inSession(
      "store load application=com.example.notes account=work load application=com.example load")
    #expect(others == ["load: default", "load: notes", "load: nothing"])
  }

  @Test("without a Secret Service, accounts and applications have separate values")
  func sideBySideInFiles() async throws {
    let lines = try await self.probe(
      "save=default", "application=com.example.notes", "load", "account=work", "save=notes", "application=sallyport-cli", "load")
    #expect(lines == ["save: done", "load: nothing", "save: done", "load: nothing"])
    #expect(
      try await self.probe("load", "application=com.example.notes", "account=work", "load") == ["load: default", "load: notes"])
  }

  @Test(
    "an invalid application name is rejected, and so is \"sallyport\", which all programs shared before version 0.1",
    arguments: ["sallyport", "", ".", "..", "../x", "a/b", "-a", "a b", "é", "a\0"])
  func applicationNames(_ name: String) {
    #expect(ApplicationName(name) == nil)
  }

  @Test("C-22: if values are in the Secret Service and it is unavailable, the store throws an error instead of using files")
  func noFallback() async throws {
    #expect(try await self.inSession("store save=one") == ["save: done"])
    let error = #"error unavailable(reason: "there is no session bus")"#
    #expect(
      try await self.probe("load", "save=two", "remove", "place") == [
        "load: \(error)", "save: \(error)", "remove: \(error)", "place: secret-service",
      ])
    #expect(!TemporaryFolder.names(in: self.home.path + "/.local/share/sallyport-cli").contains { $0.hasSuffix(".sealed") })
  }

  @Test(
    "C-22: without a bus, the encrypted file is chosen without loading libsecret, and loading values later does not change the choice"
  )
  func fileStays() async throws {
    #expect(
      try await self.probe("load", "place", "save=one", "load", "is-loaded") == [
        "load: nothing", "place: file", "save: done", "load: one", "is-loaded: no",
      ])
    #expect(
      try await self.inSession("store place load load-secret-service") == [
        "place: file", "load: one", "load-secret-service: nothing",
      ])
  }

  @Test(
    "C-22: if a Secret Service becomes available, the next sign-in chooses and reports it, and a value moves to it when it is loaded"
  )
  func secretServiceAppears() async throws {
    let chosen =
      #"event: chosen(SallyportDesktop.PlatformTokenStore.Place.encryptedFile, reason: Optional("there is no session bus"))"#
    #expect(
      try await self.probe("report", "status", "save=one") == [
        "status: file, recorded: false, reason: there is no session bus", chosen, "save: done",
      ])
    // Only a sign-in changes the store. Saving refreshed tokens doesn't, because the user might have to unlock a
    // keyring.
    #expect(try await self.inSession("store save=two place") == ["save: done", "place: file"])
    // A sign-in begins by saving a value of the kind `pending`. Tokens have the kind `grant`.
    let lines = try await self.inSession(
      "store report kind=pending save=x status kind=grant load-secret-service load load-secret-service")
    let changed =
      "event: changed(from: SallyportDesktop.PlatformTokenStore.Place.encryptedFile, "
      + "to: SallyportDesktop.PlatformTokenStore.Place.secretService)"
    #expect(
      lines == [
        changed, "save: done", "status: secret-service, earlier file, recorded: true, reason: none",
        "load-secret-service: nothing", "load: two", "load-secret-service: two",
      ])
    #expect(!TemporaryFolder.names(in: self.home.path + "/.local/share/sallyport-cli").contains { $0.hasSuffix(".sealed") })
  }

  @Test("C-22: if the bus cannot be reached, the encrypted file is chosen")
  func unreachableBus() async throws {
    let lines = try await self.probe(
      "place", "save=one", "load", variables: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"])
    #expect(lines == ["place: file", "save: done", "load: one"])
  }

  @Test("C-22: the environment variable takes precedence over the recorded choice and does not change it")
  func override() async throws {
    #expect(try await self.probe("save=one") == ["save: done"])
    let lines = try await self.probe("place", "load", variables: ["SALLYPORT_STORE": "secret-service"])
    #expect(lines == ["place: secret-service", #"load: error unavailable(reason: "there is no session bus")"#])
    #expect(try await self.probe("load", variables: ["SALLYPORT_STORE": "file"]) == ["load: one"])
    let wrong = try await self.probe("load", variables: ["SALLYPORT_STORE": "vault"])
    let reason = #""SALLYPORT_STORE must be secret-service, keychain, or file, not \"vault\"""#
    #expect(wrong == ["load: error unavailable(reason: \(reason))"])
    #expect(try await self.probe("load") == ["load: one"])
  }

  @Test("C-22: loading a value from a locked keyring is an error, not a missing value")
  func locked() async throws {
    let lock =
      "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets "
      + "org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null"
    let lines = try await self.inSession("store save=one", then: "\(lock); \(try Probe.path) store load")
    #expect(lines.first == "save: done")
    #expect(lines.last?.hasPrefix("load: error unavailable") == true, "\(lines)")
  }

  private func probe(_ commands: String..., variables: [String: String] = [:]) async throws -> [String] {
    try await Probe(
      ["timeout", "50", try Probe.path, "store"] + commands,
      environment: variables.merging(["HOME": self.home.path]) { own, _ in own }
    ).lines()
  }

  /// Runs the probe in a new D-Bus session, in which the test's keyring is unlocked.
  /// - Parameters:
  ///   - command: The arguments of the probe.
  ///   - more: A shell command that runs after the probe.
  private func inSession(_ command: String, then more: String = "true") async throws -> [String] {
    let runtime = self.home.path + "/run"
    mkdir(runtime, 0o700)
    let ownerQuery = "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner"
    let script = """
      printf pw | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 &
      until \(ownerQuery) string:org.freedesktop.secrets | grep -q true; do sleep 0.05; done
      \(try Probe.path) \(command); \(more)
      kill $!
      """
    return try await Probe(
      ["timeout", "50", "dbus-run-session", "--", "sh", "-c", script],
      environment: ["HOME": self.home.path, "XDG_RUNTIME_DIR": runtime]
    ).lines()
  }
}
