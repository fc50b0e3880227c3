public import ArgumentParser
import FoundationEssentials
import SallyportProtocol
public import SallyportServer

/// `sallyportd client`: manages the clients. It can run while the server runs.
struct ClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client", abstract: "Manage the apps that can use this server.",
    subcommands: [Add.self, List.self, Show.self, Remove.self, ImportCommand.self, TokenCommand.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Register an app.",
      discussion: """
        A native app is a public client without a secret (RFC 8252 §8.4, §8.5). With --auth-method, the client is a single installation of the
        app, with a secret or a key of its own. A web app or a service authenticates with a secret or with a key. A generated secret is
        shown once. Specify the public part of a key with --jwks or --jwks-uri.
        Register a loopback redirect URI without a port, so that any port matches (RFC 8252 §7.3). A scheme without a period must be listed in
        registration.schemes. Specify --config to use that list.
        """)
    @OptionGroup var data: DataOptions
    @Option(help: "The client ID. (default: a random one)") var clientID: String?
    @Option(help: "The name that users see.") var name: String?
    @Option(help: "The type: native, web, or service (a client that acts on its own behalf, RFC 6749 §4.4).")
    var type: ClientRegistration.Kind = .native
    @Option(name: .customLong("redirect-uri"), help: "A complete redirect URI. Repeatable.")
    var redirectURIs: [String] = []
    @Option(help: "The scopes that the app can request.") var scope = "openid profile email offline_access"
    @Option(help: "The signature algorithm of ID tokens: ES256 or RS256.") var idTokenAlgorithm = "ES256"
    @Option(help: "How the client authenticates: none, client_secret_basic, client_secret_post, or private_key_jwt.")
    var authMethod: ClientAuthenticationMethod?
    @Flag(help: "Read the secret from standard input instead of generating one.") var secretFromStdin = false
    @Option(help: ArgumentHelp("A file with the client's public keys (a JWK Set).", valueName: "file")) var jwks: String?
    @Option(name: .customLong("jwks-uri"), help: "The URL of the client's JWK Set.") var jwksURI: String?
    @Flag(help: "Allow the device grant, for devices without a browser (RFC 8628).") var device = false
    @Option(
      name: .customLong("post-logout-redirect-uri"), help: "A URI to which the browser can return after sign-out. Repeatable.")
    var postLogoutRedirectURIs: [String] = []
    @Option(
      name: .customLong("resource"), help: "The URI of an API for which the client can request tokens. Repeatable. (default: any)"
    )
    var resources: [String] = []
    @Option(
      name: .customLong("audience"),
      help: "The URI of the API that this client implements. The client can introspect the tokens for this API. Repeatable.")
    var audiences: [String] = []
    @Option(
      name: .customLong("backchannel-logout-uri"), help: "The URI to which the server sends logout tokens.")
    var backchannelLogoutURI: String?
    @Option(name: .customLong("contact"), help: "A contact for questions about the app. Repeatable.") var contacts: [String] = []
    @Option(name: .customLong("client-uri"), help: "The URL of the app's home page.") var clientURI: String?
    @Option(name: .customLong("policy-uri"), help: "The URL of the privacy policy.") var policyURI: String?
    @Option(name: .customLong("tos-uri"), help: "The URL of the terms of service.") var termsOfServiceURI: String?
    @Flag(name: .customLong("require-pkce"), help: "Require PKCE for a confidential client, too (RFC 9700 §2.1.1).")
    var requiresPKCE = false
    @Option(
      name: .customLong("require-acr"),
      help: ArgumentHelp(
        "The acr value of the level at which users of the app must be authenticated, such as phr for a passkey.",
        valueName: "acr"))
    var requiredContext: String?
    @Option(
      help:
        "What happens when a user signs in to the app in an embedded web view: block, warn, or off. (default: the setting web-views)"
    )
    var webViews: WebViewPolicy?
    @Flag(help: "Mark the app as your own. Its consent page is shorter.") var firstParty = false
    @OptionGroup var association: AssociationOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let registration = try self.registration()
      var (record, secret) = try ClientCommand.explaining { () throws(ClientRegistrationError) in
        try registration.register(at: .now())
      }
      try self.association.add(to: &record)
      // The closure below cannot capture a variable.
      let added = record
      let store = try await self.data.open().store
      do throws(StoreError) {
        try await store.write { (tx) throws(StoreError) in try tx.add(added, from: .command, at: added.createdAt) }
      } catch {
        throw error == .conflict ? Failure("a client with the ID \"\(record.id.rawValue)\" already exists") : Failure("\(error)")
      }
      try await ClientCommand.warnOfSharedSchemes(in: store, about: [record.id])
      if self.json { return try Console.print(json: ClientFile.Entry(record, secret: secret)) }
      Console.print(record.id.rawValue)
      if let secret {
        Console.print(secret.reveal())
        Console.printMessage("the second line is the client's secret, which is not shown again")
      }
    }

    private func registration() throws -> ClientRegistration {
      var registration = ClientRegistration(
        id: self.clientID, name: self.name ?? self.clientID ?? "", kind: self.type, redirectURIs: self.redirectURIs,
        scope: self.scope, signingAlgorithm: self.idTokenAlgorithm)
      registration.authenticationMethod = self.authMethod
      registration.keys = try self.keys()
      registration.secret = self.secretFromStdin ? try Console.readSecret("Client secret") : nil
      registration.additionalGrantTypes = self.device ? [.deviceCode] : []
      registration.postLogoutRedirectURIs = self.postLogoutRedirectURIs
      registration.resources = self.resources
      registration.audiences = self.audiences
      registration.isFirstParty = self.firstParty
      registration.requiresPKCE = self.requiresPKCE
      registration.requiredContext = self.requiredContext
      registration.webViews = self.webViews
      registration.schemes = try self.data.schemes()
      registration.metadata.backchannelLogoutURI = self.backchannelLogoutURI
      registration.metadata.contacts = self.contacts.isEmpty ? nil : self.contacts
      registration.metadata.clientURI = self.clientURI
      registration.metadata.policyURI = self.policyURI
      registration.metadata.termsOfServiceURI = self.termsOfServiceURI
      return registration
    }

    /// Returns the client's keys; nil if no option specifies them. A set that contains a private key is rejected,
    /// because a private key must not leave the client.
    private func keys() throws -> ClientKeys? {
      guard self.jwks == nil || self.jwksURI == nil else { throw Failure("--jwks and --jwks-uri cannot be combined") }
      if let uri = self.jwksURI {
        guard (try? EndpointURL(uri)) != nil else { throw Failure("--jwks-uri must be an https URL, not \"\(uri)\"") }
        return .remote(uri)
      }
      guard let path = self.jwks else { return nil }
      guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw Failure("cannot read \(path)") }
      guard let keys = try? JSONDecoder().decode(ClientKeySet.self, from: data), !keys.keys.isEmpty else {
        throw Failure("--jwks: \(path) must be a JWK Set with public keys only")
      }
      return try .inline(keys.storedText())
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the apps.")
    @OptionGroup var data: DataOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let clients = try await self.data.open().store.read { (tx) throws(StoreError) in try tx.clients() }
      if self.json { return try Console.print(json: clients.map { ClientFile.Entry($0) }) }
      for client in clients {
        Console.print("\(client.id.rawValue)\t\(client.kindText)\t\(client.origin.rawValue)\t\(client.name)")
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show one app.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The client ID.") var clientID: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let client = try await self.data.open().store.client(withID: self.clientID)
      if self.json { return try Console.print(json: ClientFile.Entry(client)) }
      for line in Self.lines(client) { Console.print(line) }
    }

    /// The main properties of a client, without those that are not set.
    static func lines(_ client: ClientRecord) -> [String] {
      let details = client.details
      var fields = [
        ("client_id", client.id.rawValue), ("name", client.name), ("origin", client.origin.rawValue),
        ("type", "\(client.kindText), \(client.type.rawValue)"),
      ]
      fields += client.redirectURIs.map { ("redirect_uri", "\($0)") }
      fields += (details.postLogoutRedirectURIs ?? []).map { ("post_logout_redirect_uri", $0) }
      fields.append(("scope", "\(client.scope)"))
      fields += (details.resources ?? []).map { ("resource", $0) }
      fields += (details.audiences ?? []).map { ("audience", $0) }
      if client.isFirstParty { fields.append(("first_party", "true")) }
      if details.requiresPKCE == true { fields.append(("require_pkce", "true")) }
      if let context = details.requiredContext { fields.append(("require_acr", context)) }
      if let policy = details.webViews { fields.append(("web_views", policy.rawValue)) }
      return fields.map { "\($0.0)\t\($0.1)" }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove an app and revoke everything that was granted to it.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The client ID.") var clientID: String

    func run() async throws {
      let id = ClientID(rawValue: self.clientID)
      let removed = try await self.data.open().store.removeClient(id, from: .command, at: .now())
      guard removed else { throw Failure("there is no client \"\(self.clientID)\"") }
      Console.printMessage("removed \(self.clientID)")
    }
  }

  /// Replaces an error that `body` throws with a ``Failure`` that names the option with the mistake.
  static func explaining<R>(_ body: () throws(ClientRegistrationError) -> R) throws(Failure) -> R {
    do { return try body() } catch { throw Failure(error.explanation(naming: ClientRegistrationError.option)) }
  }

  /// Warns about private-use schemes that the given clients share with other clients (RFC 8252 §7.1, rule S-32).
  static func warnOfSharedSchemes(in store: any Store, about ids: Set<ClientID>) async throws(StoreError) {
    let clients = try await store.read { (tx) throws(StoreError) in try tx.clients() }
    for shared in SharedScheme.find(in: clients) where !ids.isDisjoint(with: shared.clients) {
      Console.printMessage("warning: \(shared.warning)")
    }
  }
}

extension ClientRecord {
  /// The type as in `client add --type`. A service is stored as a web application, but has only the client credentials
  /// grant.
  var kindText: String {
    let kind: ClientRegistration.Kind =
      self.grantTypes == [.clientCredentials] ? .service : self.applicationType == .native ? .native : .web
    return kind.rawValue
  }
}

extension Store {
  /// - Throws: ``Failure`` if there is no client with this ID.
  func client(withID id: String) async throws -> ClientRecord {
    guard let client = try await self.read({ (tx) throws(StoreError) in try tx.client(ClientID(rawValue: id)) }) else {
      throw Failure("there is no client \"\(id)\"")
    }
    return client
  }
}

extension SharedScheme {
  var warning: String {
    let names = self.clients.map(\.rawValue).joined(separator: ", ")
    return
      "the scheme \(self.scheme) is used by several clients (\(names)); on a device with several of their apps, one app can receive another's responses"
  }
}

extension ClientRegistration.Kind: ExpressibleByArgument {}
extension ClientAuthenticationMethod: ExpressibleByArgument {}
extension WebViewPolicy: ExpressibleByArgument {}
