import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport credential-helper git`: gitcredentials(7).
struct GitCredentialCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git", abstract: "Answer git, which runs this as a credential helper.",
    discussion: """
      git config credential.helper "!sallyport credential-helper git --host git.example.com"

      Only the named hosts are answered, over https, or over http on this machine; for every other one git asks elsewhere. \
      Where no account is named it is the one whose API has that host, else the default one if that is for no API.
      """)

  @Option(help: ArgumentHelp("A host that the account's tokens are for, with its port if it has one.", valueName: "host"))
  var host: [String] = []

  @Option(help: "The user name that the host wants beside a token.")
  var username = "oauth2"

  @OptionGroup var options: AccountOptions

  @Argument(help: "What git wants: get, store or erase.")
  var operation: String

  func validate() throws {
    guard !self.host.isEmpty else { throw ValidationError("Name the hosts that may have the token with --host.") }
    let isPlain = self.username.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain, !self.username.isEmpty else { throw ValidationError("--username is not plain text.") }
  }

  func run() async throws {
    let request = GitCredentialRequest(Input.all(limit: GitCredentialRequest.maximumSize))
    guard let request, request.isFor(self.host) else { return }
    switch self.operation {
    case "get": try await self.get(request)
    case "erase": try await self.erase(request)
    // A token needs no storing, and git may learn new operations, which a helper passes over.
    default: break
    }
  }

  private func get(_ request: GitCredentialRequest) async throws {
    guard let account = try await self.account(for: request) else { throw CommandFailure.tokenForAnotherHost }
    let (token, session) = try await AccessToken.current(of: account)
    Output.result(request.answer(username: self.username, token: token, expiration: await session.expiration))
  }

  /// The account that is named; else one whose API has the host's origin, else the default one if it is for no API.
  private func account(for request: GitCredentialRequest) async throws -> Account? {
    let store = CommandEnvironment.store
    let choice = self.options.choice
    guard choice.isEmpty, try CommandEnvironment.profile == nil else { return try await choice.knownAccount(in: store) }
    let accounts = try await AccountBook(store).accounts()
    if let origin = request.origin.map({ Origin($0) }),
      let account = accounts.first(where: { $0.resource.map { Origin($0) } == origin })
    {
      return account
    }
    let account = try await choice.knownAccount(in: store)
    return account.resource == nil ? account : nil
  }

  /// git says that the host did not take the token: the next one is a new one.
  private func erase(_ request: GitCredentialRequest) async throws {
    guard let account = try? await self.account(for: request),
      let session = try? await CommandEnvironment.client(for: account).restoreSession(),
      let token = try? await session.accessTokenAtHand(), token == request.refused
    else { return }
    _ = try await AccessToken.current(of: account, refreshing: true, alsoBound: true)
  }
}

extension CommandFailure {
  fileprivate static let tokenForAnotherHost = CommandFailure(
    .failed, "The account's tokens are for an API of another host. Name the account with --profile, --issuer or --resource.")
}
