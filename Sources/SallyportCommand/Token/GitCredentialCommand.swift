import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportRemote

/// `sallyport credential-helper git`; see gitcredentials(7).
struct GitCredentialCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git", abstract: "Provide tokens to git as a credential helper.",
    discussion: """
      To set it up in bash, zsh, fish, or PowerShell:

      git config credential.helper '!sallyport credential-helper git --host git.example.com'

      The helper responds only for the hosts that you specify, and only over https, or over http if the host is this \
      machine. For other hosts, git uses its other credential sources. If you choose no account, the helper uses an account \
      whose API (--resource) or --token-origin is on the host or, if there is none, an account whose server is on the host. \
      If several accounts match, it uses the current account, which `sallyport accounts` marks, or the only matching account \
      that is signed in. If no account matches, it uses the current account, unless that account is for an API or a token \
      origin on another host.
      """)

  @Option(help: ArgumentHelp("A host that the account's tokens are for, with its port if it has one.", valueName: "host"))
  var host: [String] = []

  @Option(help: "The user name that the host expects together with a token.")
  var username = "oauth2"

  @OptionGroup var options: AccountOptions

  @Argument(help: "The operation: get, store, or erase.")
  var operation: String

  func validate() throws {
    guard !self.host.isEmpty else { throw ValidationError("Specify at least one host with --host.") }
    let isPlain = self.username.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain, !self.username.isEmpty else {
      throw ValidationError("--username must consist of visible ASCII characters.")
    }
  }

  func run() async throws {
    let request = GitCredentialRequest(Input.all(limit: GitCredentialRequest.maximumSize))
    guard let request, request.isFor(self.host) else { return }
    switch self.operation {
    case "get": try await self.get(request)
    case "erase": try await self.erase(request)
    // Tokens don't need to be stored, and helpers must ignore operations that they don't know.
    default: break
    }
  }

  private func get(_ request: GitCredentialRequest) async throws {
    guard let account = try await self.account(for: request) else { throw CommandFailure.tokenForAnotherHost }
    let (token, session) = try await AccessToken.current(of: account)
    Output.result(
      request.response(username: self.username, token: token, expiration: await session.expiration.map { Timestamp($0) }))
  }

  /// Returns the account that the user chose with options or the environment. If the user chose none, returns the
  /// account for the host (``AccountBook/account(for:ignoringPath:)``), or else the current account.
  /// - Returns: `nil` if there is no account for the host, and the current account is for an API or a token origin. Its
  ///   API or token origin must be on another host, because the search by host did not find the account.
  private func account(for request: GitCredentialRequest) async throws -> Account? {
    let store = CommandEnvironment.store
    let choice = self.options.choice
    guard choice.isEmpty, try CommandEnvironment.profile == nil else { return try await choice.knownAccount(in: store) }
    if let origin = request.origin,
      let account = try await AccountBook(store).account(for: origin, ignoringPath: true).account
    {
      return account
    }
    let account = try await choice.knownAccount(in: store)
    return account.resource == nil && account.tokenOrigins.isEmpty ? account : nil
  }

  /// Refreshes the token that the host rejected, if it is still the current one.
  private func erase(_ request: GitCredentialRequest) async throws {
    guard let account = try? await self.account(for: request),
      let session = try? await CommandEnvironment.client(for: account).restoreSession(),
      let token = try? await session.usableAccessToken(), token == request.rejectedToken
    else { return }
    _ = try await AccessToken.current(of: account, refreshing: true, allowingBoundToken: true)
  }
}

extension CommandFailure {
  fileprivate static let tokenForAnotherHost = CommandFailure(
    .failed, "The account's tokens are for an API on another host.",
    "Choose an account with --profile, --issuer, or --resource.")
}
