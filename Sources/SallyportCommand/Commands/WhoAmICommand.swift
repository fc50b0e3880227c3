import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport whoami`
struct WhoAmICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Print who is signed in.",
    discussion: """
      Asks the server; where it cannot be reached, prints what the ID token said and says so. With tokens for an API, which are \
      not for the server itself, it prints what the ID token said.
      """)

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let account = try await self.options.choice.knownAccount(in: CommandEnvironment.store)
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      let (person, source) = try await Interrupts.cancelling { try await Self.person(of: session) }
      try await self.report(person, source, session, account)
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
  }

  /// The server's word of now, else the verified ID token's.
  private static func person(of session: Session) async throws -> (UserInfo?, Source) {
    let claims = await session.claims.map(UserInfo.init)
    // Tokens for an API are not for the server's own endpoint.
    guard await session.resources.isEmpty else { return (claims, .idToken) }
    do {
      return (try await session.userInfo(), .userinfo)
    } catch {
      if error == .userInfo(.notOffered) || error == .userInfo(.subjectUnknown) { return (claims, .idToken) }
      let failure = CommandFailure(error)
      guard failure.status == .tryAgain, let claims else { throw failure }
      Output.talk("\(failure.message) This is what the ID token said.")
      return (claims, .idToken)
    }
  }

  private func report(_ person: UserInfo?, _ source: Source, _ session: Session, _ account: Account) async throws {
    if self.json {
      return try Output.result(
        json: PersonReport(
          subject: person?.subject, name: person?.name, preferredUsername: person?.preferredUsername, email: person?.email,
          emailVerified: person?.emailVerified, profile: account.profile, issuer: account.issuer.value,
          clientID: account.clientID,
          scope: await session.scope.description, source: person == nil ? nil : source))
    }
    let names = [person?.preferredUsername ?? person?.subject, person?.name, person?.email].compactMap { $0 }
    let who = names.isEmpty ? "somebody whom the server does not name" : names.map(Printable.text).joined(separator: ", ")
    Output.result("\(who) at \(account.issuer)")
  }

  /// Where the claims are from.
  fileprivate enum Source: String, Encodable {
    case userinfo
    case idToken = "id_token"
  }
}

/// What `whoami --json` prints.
private struct PersonReport: Encodable {
  var subject: String?
  var name: String?
  var preferredUsername: String?
  var email: String?
  var emailVerified: Bool?
  var profile: ProfileName?
  var issuer: String
  var clientID: String
  var scope: String
  /// Nil where nothing is known of the person.
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
