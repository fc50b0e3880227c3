import ArgumentParser
import SallyportProtocol
import SallyportServer

// The commands that create one-time links.
extension User {
  /// Prints the link, or, if it was mailed, a message without the link.
  private static func printLink(_ link: Secret<String>, of username: String, isMailed: Bool, json: Bool) throws {
    if json {
      return try Console.print(json: LinkResult(username: username, link: isMailed ? nil : link.reveal(), sent: isMailed))
    }
    if isMailed { Console.printMessage("queued the mail to \(username)") } else { Console.print(link.reveal()) }
  }

  /// The JSON of the result.
  private struct LinkResult: Encodable {
    let username: String
    /// Missing if the link was mailed.
    let link: String?
    let sent: Bool
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user, and print the link with which the user chooses a password.",
      discussion: """
        The link can be used once, and expires after 7 days. A new link replaces earlier ones. If the user exists and has no password, only a
        new link is created. With --send, the running server mails the link, and the command does not print it.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Option(help: "The user's full name.") var name: String?
    @Option(help: "The user's email address.") var email: String?
    @Flag(help: "Mail the link to the user.") var send = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let links = try await self.data.accountLinks(sendingMail: self.send)
      let link = try await User.explaining {
        try await links.invite(self.username, name: self.name, email: self.email, isMailed: self.send)
      }
      try User.printLink(link, of: self.username, isMailed: self.send, json: self.json)
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
