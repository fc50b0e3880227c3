import ArgumentParser
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote

/// `sallyport request`
struct RequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Send a request to an API with your token, and print the answer.",
    discussion: """
      The token goes to the API that `login --resource` named and nowhere else; where no account is named it is the one whose \
      API this is, by whole segments of the path. A token that is bound to this installation goes with its proof. The token is renewed where the API refuses it; \
      redirects are not followed.

      Prints the body. Exit codes besides the usual ones: 1 for a status of 300 and more, 3 for 401, 5 for 429 and of 500 and more.
      """)

  @Option(name: [.customShort("X"), .long], help: "The method; by default GET, and POST where there is data.")
  var method: String?

  @Option(
    name: [.customShort("H"), .long], help: ArgumentHelp("A header field, \"Name: value\".", valueName: "field"),
    transform: RequestFields.field)
  var header: [HTTPField] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The body; @ and a name for a file, @- for standard input.",
      discussion: "It is application/json unless --header says otherwise."))
  var data: String?

  @Flag(name: [.short, .long], help: "Print the status and the header fields before the body.")
  var include = false

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON: the status, the header fields and the body as text.")
  var json = false

  @Argument(help: ArgumentHelp("What to request.", valueName: "url"), transform: Arguments.resource)
  var url: EndpointURL

  func validate() throws {
    guard self.method.map({ HTTPRequest.Method($0) != nil }) ?? true else { throw ValidationError("--method is no method.") }
    guard !self.json || !self.include else { throw ValidationError("Give one of --json and --include.") }
  }

  func run() async throws {
    let request = try self.request()
    let body = try self.body()
    let account = try await self.account(in: CommandEnvironment.store)
    let answer: TransportResponse
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      answer = try await Interrupts.cancelling {
        do {
          return try await session.send(request, body: body, limits: Self.limits)
        } catch {
          // A refresh that is under way is let finish: the server may have rotated the token already.
          await session.settle()
          throw error
        }
      }
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
    try self.report(answer)
  }

  /// In bytes, and for the whole exchange.
  private static let limits = TransferLimits(maximumBodySize: 64 << 20, timeout: .seconds(300))

  /// The account that is named; else the one whose API the URL is of, the nearest of several; else the default one.
  private func account(in store: some TokenStore) async throws -> Account {
    let choice = self.options.choice
    if choice.isEmpty, try CommandEnvironment.profile == nil {
      let atOrigin = try await AccountBook(store).accounts().compactMap { account in
        account.resource.flatMap { Origin($0) == Origin(self.url) ? (account: account, path: Self.segments(of: $0)) : nil }
      }
      let path = Self.segments(of: self.url)
      // `max` takes the last of equals, and the account used last comes first.
      let nearest = atOrigin.filter { path.starts(with: $0.path) }.reversed().max { $0.path.count < $1.path.count }
      if let nearest { return nearest.account }
      guard atOrigin.isEmpty else { throw CommandFailure.noAccountForPath }
    }
    return try await choice.knownAccount(in: store)
  }

  /// Whole segments: /tenant-bc is no part of /tenant-b.
  private static func segments(of url: EndpointURL) -> [Substring] {
    url.components.path.split(separator: "/")
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
    guard let bytes = Input.file(String(data.dropFirst()), limit: 64 << 20) else {
      throw ValidationError("--data: \(data.dropFirst()) cannot be read.")
    }
    return bytes
  }

  private func report(_ answer: TransportResponse) throws {
    if self.json {
      try Output.result(json: AnswerReport(answer))
    } else {
      if self.include { Output.result(RequestFields.text(of: answer.head)) }
      Output.bytes(answer.body)
    }
    if let failure = CommandFailure(answer.head) { throw failure }
  }
}

/// What `request --json` prints.
private struct AnswerReport: Encodable {
  var status: Int
  /// Fields of one name are joined, RFC 9110 §5.3.
  var headers: [String: String] = [:]
  var body: String

  init(_ answer: TransportResponse) {
    self.status = answer.head.status.code
    self.body = String(decoding: answer.body, as: UTF8.self)
    for field in answer.head.headerFields {
      let name = field.name.canonicalName
      self.headers[name] = self.headers[name].map { "\($0), \(field.value)" } ?? field.value
    }
  }
}

extension CommandFailure {
  fileprivate static let noAccountForPath = CommandFailure(
    .failed, "No account's API has this path, though its host has others. Name the account's API with --resource.")

  /// Nil where the API was content.
  fileprivate init?(_ answer: HTTPResponse) {
    let status = answer.status.code
    switch status {
    case ..<300: return nil
    case ..<400: self.init(.failed, "The API leads elsewhere (status \(status)), where the token does not go.")
    case 401: self.init(.signInNeeded, "The API did not take the token (status 401). Run `sallyport login`.")
    case 429, 500...: self.init(.tryAgain, "The API is in trouble (status \(status)). Try again later.")
    default: self.init(.failed, "The API refused (status \(status)).")
    }
  }
}
