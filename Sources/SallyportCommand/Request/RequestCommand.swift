import ArgumentParser
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportSystem

/// `sallyport request`
struct RequestCommand: AsyncParsableCommand, VerboseCommand {
  static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Send a request to an API with your token, and print the response.",
    discussion: """
      The token is sent only to the origin (scheme, host, and port) of an API that you specified with `login --resource` \
      or `--token-origin`, or to the provider's own APIs after `login --provider`. If you choose no account, the command \
      uses the account whose API is the longest prefix of the URL, compared by whole path segments. If several accounts \
      match, it uses the current account, which `sallyport accounts` marks, or the only matching account that is signed \
      in. A token that is bound to this installation is sent with a proof. If the API rejects the token, it is refreshed \
      once, unless it is less than ten seconds old: a new token would be rejected too. Redirects are not followed.

      Prints the body. Additional meanings of exit codes: 3 for status 401, 5 for status 429 and for status 500 and above, \
      and 1 for any other status of 300 and above.
      """)

  @Option(name: [.customShort("X"), .long], help: "The method. The default is GET, or POST with --data.")
  var method: String?

  @Option(
    name: [.customShort("H"), .long], help: ArgumentHelp("A header field, \"Name: value\".", valueName: "field"),
    transform: RequestFields.field)
  var header: [HTTPField] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The body. Use @FILE to read it from a file, or @- to read it from standard input.",
      discussion: "The content type is application/json, unless --header specifies another one."))
  var data: String?

  @Flag(name: [.short, .long], help: "Print the status and the header fields before the body.")
  var include = false

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON: the status, the header fields, and the body as text.")
  var json = false

  @OptionGroup var verbosity: VerbosityOptions

  @Argument(help: ArgumentHelp("The URL to request.", valueName: "url"), transform: Arguments.apiURL)
  var url: EndpointURL

  func validate() throws {
    if let method = self.method, HTTPRequest.Method(method) == nil {
      throw ValidationError("--method must be a valid HTTP method.")
    }
    if self.json && self.include { throw ValidationError("--json and --include cannot be combined.") }
  }

  func run() async throws {
    let request = try self.request()
    let body = try self.body()
    let account = try await self.account(in: CommandEnvironment.store)
    let response: TransportResponse
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      response = try await Interrupts.canceling {
        do {
          return try await session.send(request, body: body, limits: Self.limits)
        } catch {
          // Wait until a refresh in progress has stored its tokens. The server may already have replaced the refresh
          // token.
          await session.waitForRefresh()
          throw error
        }
      }
    } catch let error as SessionError {
      guard error == .originNotAllowed else { throw CommandFailure(error, account) }
      let other = try? await AccountBook(CommandEnvironment.store).account(for: self.url).account
      throw CommandFailure.wrongAPI(self.url, account, other: other)
    }
    try self.report(response, account)
  }

  /// A response body of at most 64 MiB, and 300 seconds for the whole exchange.
  private static let limits = TransferLimits(maximumBodySize: 64 << 20, timeout: .seconds(300))

  /// Returns the account that the user chose. If the user chose none, returns the account whose tokens are for the URL
  /// (``AccountBook/account(for:ignoringPath:)``) or, if no account's tokens are for the URL's origin, the current
  /// account.
  /// - Throws: An error if there is no account, if it is not clear which account to use, or if some accounts' tokens
  ///   are for the origin, but none for the path.
  private func account(in store: some TokenStore) async throws -> Account {
    let choice = self.options.choice
    if choice.isEmpty, try CommandEnvironment.profile == nil {
      let (account, someAccountMatchesOrigin) = try await AccountBook(store).account(for: self.url)
      if let account { return account }
      guard !someAccountMatchesOrigin else { throw CommandFailure.noAccountForPath }
    }
    return try await choice.knownAccount(in: store)
  }

  private func request() throws -> HTTPRequest {
    let method = self.method.flatMap { HTTPRequest.Method($0) } ?? (self.data == nil ? .get : .post)
    var request = HTTPRequest(
      method: method, scheme: self.url.components.scheme, authority: self.url.authority, path: self.url.pathAndQuery)
    for field in self.header { request.headerFields.append(field) }
    if self.data != nil, request.headerFields[.contentType] == nil { request.headerFields[.contentType] = "application/json" }
    if request.headerFields[.accept] == nil { request.headerFields[.accept] = "*/*" }
    return request
  }

  private func body() throws -> [UInt8] {
    guard let data = self.data else { return [] }
    guard data.hasPrefix("@") else { return Array(data.utf8) }
    let path = String(data.dropFirst())
    guard let bytes = Input.file(path, limit: 64 << 20) else {
      let source = path == "-" ? "standard input" : "the file \"\(path)\""
      throw ValidationError("--data: \(source) cannot be read, or has more than 64 MiB.")
    }
    return bytes
  }

  private func report(_ response: TransportResponse, _ account: Account) throws {
    if self.json {
      try Output.result(json: ResponseReport(response))
    } else {
      if self.include { Output.result(RequestFields.text(of: response.head)) }
      Output.bytes(response.body)
      Output.endLine(after: response.body)
    }
    if let failure = CommandFailure(response.head, account) { throw failure }
  }
}

/// The output of `request --json`.
private struct ResponseReport: Encodable {
  var status: Int
  /// Fields with the same name are joined (RFC 9110 §5.3).
  var headers: [String: String] = [:]
  var body: String

  init(_ response: TransportResponse) {
    self.status = response.head.status.code
    self.body = String(decoding: response.body, as: UTF8.self)
    for field in response.head.headerFields {
      let name = field.name.canonicalName
      self.headers[name] = self.headers[name].map { "\($0), \(field.value)" } ?? field.value
    }
  }
}

extension CommandFailure {
  fileprivate static let noAccountForPath = CommandFailure(
    .failed, "None of your accounts is for this path, although some are for this host.",
    "Specify the account's API with --resource.")

  /// - Parameter other: Another account whose tokens are for the URL, if any.
  fileprivate static func wrongAPI(_ url: EndpointURL, _ account: Account, other: Account?) -> CommandFailure {
    let origin = "\(url.components.scheme)://\(url.authority)"
    let problem = "The tokens of the account \(account.summary) are not for \(origin)."
    if let other {
      return CommandFailure(
        .failed, problem, "To use the account \(other.summary), whose tokens are for it, specify `\(other.options())`.")
    }
    return CommandFailure(
      .failed, problem,
      "If the API accepts them, sign in again with `\(account.loginCommand.adding("--token-origin", origin))`. If the server supports "
        + "resource indicators (RFC 8707), use --resource with the API's URL instead.")
  }

  /// Returns `nil` if the request succeeded.
  fileprivate init?(_ response: HTTPResponse, _ account: Account) {
    let status = response.status.code
    switch status {
    case ..<300: return nil
    case ..<400:
      self.init(.failed, "The API returned a redirect (status \(status)), which is not followed, to protect the token.")
    case 401: self.init(.signInNeeded, "The API rejected the token (status 401).", Self.signIn(account))
    case 429, 500...: self.init(.tryAgain, "The API is temporarily unavailable (status \(status)).", Self.tryAgainLater)
    default: self.init(.failed, "The API rejected the request (status \(status)).")
    }
  }
}
