import ArgumentParser
import SallyportProtocol
import SallyportServer

// The commands that create one-time links.
extension User {
  /// Prints the link, or, if it was mailed, a message without the link.
  /// - Parameters:
  ///   - username: The user name; nil if the invited user chooses it.
  ///   - email: The email address, if there is no user name.
  private static func printLink(
    _ link: Secret<String>, of username: String?, email: String? = nil, isMailed: Bool, json: Bool
  ) throws {
    if json {
      return try Console.print(
        json: LinkResult(username: username, email: email, link: isMailed ? nil : link.reveal(), sent: isMailed))
    }
    if isMailed {
      Console.printMessage("queued the mail to \(username ?? email ?? "the user")")
    } else {
      Console.print(link.reveal())
    }
  }

  /// The JSON of the result.
  private struct LinkResult: Encodable {
    /// Missing if the invited user chooses the user name.
    let username: String?
    /// Missing if there is a user name.
    let email: String?
    /// Missing if the link was mailed.
    let link: String?
    let sent: Bool
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Invite a user, and print the link with which the user chooses a password.",
      discussion: """
        With a user name, the command adds the user. Without one, specify --email: the invited user also chooses the user name, and the user
        exists only after that. This requires 'accounts.sign-up: invite' or 'open' in the settings.

        The link can be used once, and expires after 7 days. A new link for a user replaces earlier ones. If the user exists and has no
        password, only a new link is created. If such a user has another email address than --email specifies, the command fails: change the
        address with 'sallyportd user edit --email' first. With --send, the running server mails the link, and the command does not print it.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name. Without it, the invited user chooses one.") var username: String?
    @Option(help: "The user's full name.") var name: String?
    @Option(help: "The user's email address.") var email: String?
    @Flag(help: "Mail the link to the user.") var send = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
      guard self.username == nil else { return }
      if self.email == nil { throw ValidationError("Specify a user name, or --email without a user name.") }
      guard self.name == nil else {
        throw ValidationError("--name requires a user name. Without one, the invited user enters both names.")
      }
    }

    func run() async throws {
      guard let username = self.username else { return try await self.inviteWithoutUsername() }
      let links = try await self.data.accountLinks(sendingMail: self.send)
      let link = try await User.explaining {
        try await links.invite(username, name: self.name, email: self.email, isMailed: self.send)
      }
      try User.printLink(link, of: username, isMailed: self.send, json: self.json)
    }

    private func inviteWithoutUsername() async throws {
      let (signUps, email) = (try await self.data.signUps(), self.email ?? "")
      let link: Secret<String>
      do { link = try await signUps.invite(email, isMailed: self.send) } catch let error as SignUpError {
        switch error {
        case .off:
          throw Failure(
            """
            the settings do not contain 'accounts.sign-up: invite' or 'accounts.sign-up: open'; specify a user name, or the \
            server's settings file with --config
            """)
        case .invalidEmail: throw Failure("mail cannot be sent to the email address \"\(email)\"")
        }
      }
      try User.printLink(link, of: nil, email: email, isMailed: self.send, json: self.json)
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a link with which a user chooses a new password.",
      discussion: """
        The link can be used once. It expires after a day, or after an hour if it is mailed. A new link replaces earlier ones. The old password
        works until the user chooses a new one, which ends the user's sessions and tokens. Passkeys remain. With --send, the running server
        mails the link, and the command does not print it.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Mail the link to the user.") var send = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let links = try await self.data.accountLinks(sendingMail: self.send)
      let link = try await User.explaining { try await links.reset(self.username, isMailed: self.send) }
      try User.printLink(link, of: self.username, isMailed: self.send, json: self.json)
    }
  }
}
