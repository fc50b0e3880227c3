import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportSystem

/// `sallyport whoami`
struct WhoAmICommand: AsyncParsableCommand, VerboseCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Print who is signed in.",
    discussion: """
      Requests the user's claims from the server. If the server cannot be reached, prints the claims of the ID token, with \
      a note. Prints them without a note if the server has no UserInfo endpoint, or if the account is for an API \
      (--resource), because its tokens cannot be used at the server itself.
      """)

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var verbosity: VerbosityOptions

  func run() async throws {
    let account = try await self.options.choice.knownAccount(in: CommandEnvironment.store)
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      try await session.checkNotEndedByServer()
      let (user, source) = try await Interrupts.canceling { try await Self.user(of: session, account) }
      try await self.report(user, source, session, account)
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
  }

  /// Returns the user's current claims from the server. If the server does not provide them, or if the tokens are for
  /// an API, returns the claims of the verified ID token, or `nil` if there is no ID token.
  private static func user(of session: OAuthSession, _ account: Account) async throws -> (UserInfo?, Source) {
    let claims = await session.claims.map(UserInfo.init)
    // Tokens for an API cannot be used at the UserInfo endpoint.
    guard await session.resources.isEmpty else { return (claims, .idToken) }
    do {
      return (try await session.userInfo(), .userinfo)
    } catch {
      if error == .userInfo(.notOffered) || error == .userInfo(.subjectUnknown) { return (claims, .idToken) }
      let failure = CommandFailure(error, account)
      guard failure.status == .tryAgain, let claims else { throw failure }
      Output.message("\(failure.description) Showing the claims of the ID token.")
      return (claims, .idToken)
    }
  }

  private func report(_ user: UserInfo?, _ source: Source, _ session: OAuthSession, _ account: Account) async throws {
    if self.json {
      return try Output.result(
        json: UserReport(
          subject: user?.subject, name: user?.name, preferredUsername: user?.preferredUsername, email: user?.email,
          emailVerified: user?.emailVerified, profile: account.profile, issuer: account.issuer.value,
          clientID: account.clientID,
          scope: await session.scope.description, source: user == nil ? nil : source))
    }
    let names = [user?.preferredUsername ?? user?.subject, user?.name, user?.email].compactMap { $0 }
    let who = names.isEmpty ? "an unnamed user" : names.map { Printable.text($0) }.joined(separator: ", ")
    Output.result("\(who) at \(account.issuer)")
  }

  /// The source of the claims.
  fileprivate enum Source: String, Encodable {
    case userinfo
    case idToken = "id_token"
  }
}

/// The output of `whoami --json`.
private struct UserReport: Encodable {
  var subject: String?
  var name: String?
  var preferredUsername: String?
  var email: String?
  var emailVerified: Bool?
  var profile: ProfileName?
  var issuer: String
  var clientID: String
  var scope: String
  /// `nil` if nothing is known about the user.
  var source: WhoAmICommand.Source?

  private enum CodingKeys: String, CodingKey {
    case subject = "sub"
    case name
    case preferredUsername = "preferred_username"
    case email
    case emailVerified = "email_verified"
    case profile
    case issuer
    case clientID = "client_id"
    case scope
    case source
  }
}
