import ArgumentParser
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// `sallyport status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Print where tokens are stored, which account is used, and when its tokens expire.",
    discussion: """
      Needs no network access. If you choose no account, the command shows the current account. The exit \
      code is 3 if you must sign in.
      """)

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    var report = StatusReport(store: try await Self.status(of: store))
    if let account = try await self.options.choice.account(in: store) {
      do {
        try await report.add(account, CommandEnvironment.client(for: account).restoreSession())
      } catch let error as SessionError {
        throw CommandFailure(error)
      }
    }
    if self.json {
      try Output.result(json: report)
    } else {
      Output.result(report.text(at: .now()))
    }
    guard report.isUsable(at: .now()) else {
      guard let account = report.account else { throw try await self.options.choice.notSignedIn(in: store) }
      throw report.end.map { CommandFailure($0, account) } ?? .notSignedIn(account)
    }
  }

  private static func status(of store: PlatformTokenStore) async throws -> PlatformTokenStore.Status {
    do {
      return try await store.status()
    } catch {
      throw CommandFailure(error)
    }
  }
}

/// The output of `status`.
struct StatusReport: Encodable {
  /// `secret-service`, `keychain`, or `file`.
  var store: String
  /// The folder with the encrypted files, or `nil` for another store.
  var folder: String?
  /// Why this store is used: because `SALLYPORT_STORE` is set, or because no better store is available. `nil` in other
  /// cases.
  var reason: String?
  var account: Account?
  var isSignedIn = false
  var user: String?
  /// The granted scope, which can differ from the account's requested scope.
  var scope: String?
  /// Seconds since 1970, or `nil` if unknown.
  var expiresAt: Int64?
  var isRenewable = false
  /// Whether the tokens are bound to a key.
  var isBound = false
  /// Why the server ended the session, or `nil` if it has not.
  var end: SessionError?

  // `isBound` and `end` are not part of the JSON.
  private enum CodingKeys: String, CodingKey {
    case store
    case folder
    case reason
    case account
    case isSignedIn = "signed_in"
    case user
    case scope
    case expiresAt = "expires_at"
    case isRenewable = "renewable"
  }

  init(store: PlatformTokenStore.Status) {
    self.store = store.place.rawValue
    self.folder = store.place == .encryptedFile ? store.folder : nil
    self.reason = store.isOverridden ? "SALLYPORT_STORE is set" : store.reason
  }

  mutating func add(_ account: Account, _ session: OAuthSession?) async {
    self.account = account
    guard let session else { return }
    self.isSignedIn = true
    let claims = await session.claims
    self.user = claims?.preferredUsername ?? claims?.name ?? account.user ?? claims?.subject
    self.scope = await session.scope.description
    self.expiresAt = await session.expiration.map { Timestamp($0).seconds }
    self.isRenewable = await session.isRenewable
    self.isBound = await session.isSenderConstrained
    do {
      try await session.checkNotEndedByServer()
    } catch {
      (self.end, self.isSignedIn) = (error, false)
    }
  }

  /// Whether the other commands can use the account without a new sign-in. An access token with an unknown expiration
  /// time counts as valid.
  func isUsable(at now: Timestamp) -> Bool {
    self.isSignedIn && (self.isRenewable || self.expiresAt.map { $0 > now.seconds } ?? true)
  }

  func text(at now: Timestamp) -> String {
    let places = [
      "file": "encrypted files", "keychain": "the Keychain", "secret-service": "the Secret Service",
    ]
    let folder = self.folder.map { " in \($0)" } ?? ""
    let reason = self.reason.map { ", because \($0)" } ?? ""
    var lines = ["Tokens are stored in \(places[self.store] ?? self.store)\(folder)\(reason)."]
    guard let account, self.isSignedIn else { return lines[0] }
    let user = self.user.map { " as \(Printable.text($0))" } ?? ""
    lines.append("Signed in\(user) to the account \(account.summary).")
    if let scope, !scope.isEmpty { lines.append("The granted scope is \"\(Printable.text(scope))\".") }
    if self.isBound { lines.append("The tokens are bound to a key of this installation (DPoP).") }
    lines.append(self.expiry(at: now))
    return lines.joined(separator: "\n")
  }

  private func expiry(at now: Timestamp) -> String {
    let renewal = self.isRenewable ? "It is renewed automatically." : "It cannot be renewed without a new sign-in."
    guard let expiresAt else { return "The server did not say when the access token expires." }
    guard expiresAt > now.seconds else { return "The access token has expired. \(renewal)" }
    return "The access token expires in \(WaitingLine.words(.seconds(expiresAt - now.seconds))). \(renewal)"
  }
}
