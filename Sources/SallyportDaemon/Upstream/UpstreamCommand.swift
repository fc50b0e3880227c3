import ArgumentParser
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SallyportServer

/// `sallyportd upstream`: manages the OpenID providers through which users can sign in. It can run while the server
/// runs.
struct UpstreamCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upstream", abstract: "Manage the providers through which users can sign in.",
    subcommands: [Add.self, List.self, Show.self, Edit.self, Disable.self, Enable.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an OpenID Connect provider.",
      discussion: """
        Register this server at the provider first, as a web application with the redirect URI ISSUER/upstream/ID/callback. If the \
        provider supports back-channel logout, also register ISSUER/upstream/ID/backchannel-logout, so that a user who signs out there is \
        signed out here. The command fetches the provider's metadata and checks it.
        With --trusted-domain, a user can sign in to an existing account if the provider states a verified email address in the domain, and \
        the account has the same verified address. Specify only domains whose mailboxes the provider itself manages.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier: lowercase letters, digits, and inner hyphens. It is part of the redirect URI.") var id:
      String
    @Option(help: "The issuer identifier of the provider, exactly as the provider spells it.") var issuer: String?
    @Option(
      help: ArgumentHelp(
        "A known provider, which sets the name, the issuer, the scopes, and the user name claim, unless options do: "
          + "\(UpstreamPreset.names.joined(separator: ", ")).",
        valueName: "provider"))
    var preset: String?
    @Option(
      help: ArgumentHelp(
        "With --preset microsoft, the tenant whose users can sign in: an identifier, a domain name, consumers, organizations, or "
          + "common. (default: common)"))
    var tenant: String?
    @Option(help: "The client ID of this server at the provider.") var clientID: String
    @OptionGroup var options: UpstreamOptions
    @Flag(help: "Do not fetch the provider's metadata.") var offline = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      guard Upstream.isValid(id: self.id) else {
        throw Failure(
          "the identifier \"\(self.id)\" is invalid: it must have 1 to 32 lowercase letters, digits, and inner hyphens")
      }
      guard self.preset != nil || self.tenant == nil else { throw Failure("--tenant requires --preset microsoft") }
      let preset = try self.preset.map { try UpstreamPreset.named($0, tenant: self.tenant) }
      guard let text = try preset?.issuer(orOption: self.issuer) ?? self.issuer else {
        throw Failure("specify the provider with --issuer or --preset")
      }
      guard let issuer = try? Issuer(text) else { throw Failure("--issuer must be an https URL, not \"\(text)\"") }
      guard !self.clientID.isEmpty else { throw Failure("--client-id is empty") }
      if !self.offline { try await UpstreamCommand.check(issuer, tenantIssuer: preset?.tenantIssuer) }
      let directory = try await self.data.open()
      var upstream = UpstreamRecord(
        id: self.id, name: self.id, issuer: issuer.value, clientID: self.clientID, createdAt: .now())
      preset?.apply(to: &upstream)
      try self.options.apply(to: &upstream, sealingWith: UpstreamSecrets(directory.masterKey))
      do throws(StoreError) { try await Upstreams(store: directory.store).add(upstream) } catch {
        throw error == .conflict ? Failure("a provider with the ID \"\(self.id)\" already exists") : Failure("\(error)")
      }
      let row = Row(upstream, at: try self.data.knownIssuer())
      if self.json { return try Console.print(json: row) }
      Console.print(row.redirectURI ?? "")
      Console.printMessage(
        row.redirectURI == nil
          ? "added \(self.id); its redirect URI is the issuer of this server, followed by /upstream/\(self.id)/callback"
          : "added \(self.id); register this redirect URI at the provider")
      if let uri = row.backchannelLogoutURI { Console.printMessage("the URI for back-channel logout is \(uri)") }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the providers.")
    @OptionGroup var data: DataOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let upstreams = try await Upstreams(store: self.data.open().store).list()
      let issuer = try self.data.knownIssuer()
      if self.json { return try Console.print(json: upstreams.map { Row($0, at: issuer) }) }
      for upstream in upstreams {
        Console.print(
          "\(upstream.id)\t\(upstream.disabledAt == nil ? "enabled" : "disabled")\t\(upstream.issuer)\t\(upstream.name)")
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show one provider.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let upstream = try await UpstreamCommand.find(self.id, in: self.data.open().store)
      let row = Row(upstream, at: try self.data.knownIssuer())
      if self.json { return try Console.print(json: row) }
      Console.print("id\t\(row.id)")
      Console.print("name\t\(row.name)")
      Console.print("issuer\t\(row.issuer)")
      Console.print("client_id\t\(row.clientID)")
      Console.print("client_secret\t\(row.hasSecret ? "set" : "none")")
      if let uri = row.redirectURI { Console.print("redirect_uri\t\(uri)") }
      if let uri = row.backchannelLogoutURI { Console.print("backchannel_logout_uri\t\(uri)") }
      for tenant in row.allowedTenants { Console.print("allowed_tenant\t\(tenant)") }
      Console.print("scope\t\(row.scope)")
      Console.print("accounts\t\(row.accounts)")
      Console.print("username_claim\t\(row.usernameClaim)")
      Console.print("name_claim\t\(row.nameClaim)")
      for domain in row.trustedDomains { Console.print("trusted_domain\t\(domain)") }
      for context in row.twoFactorACR { Console.print("two_factor_acr\t\(context)") }
      if let method = row.authMethod { Console.print("token_endpoint_auth_method\t\(method)") }
      Console.print("disabled\t\(row.disabled)")
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a provider's settings.",
      discussion: """
        Settings without an option stay as they are. The values of a repeatable option replace all earlier values, and a single empty \
        value removes them.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier.") var id: String
    @Option(help: "The client ID of this server at the provider.") var clientID: String?
    @OptionGroup var options: UpstreamOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
      guard self.clientID?.isEmpty != true else { throw ValidationError("--client-id is empty") }
    }

    func run() async throws {
      let directory = try await self.data.open()
      var upstream = try await UpstreamCommand.find(self.id, in: directory.store)
      if let clientID = self.clientID { upstream.clientID = clientID }
      try self.options.apply(to: &upstream, sealingWith: UpstreamSecrets(directory.masterKey))
      try await UpstreamCommand.update(upstream, in: directory.store)
      if self.json { return try Console.print(json: Row(upstream, at: try self.data.knownIssuer())) }
      Console.printMessage("changed \(self.id)")
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop sign-ins through a provider. Sessions that began there continue.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let store = try await self.data.open().store
      var upstream = try await UpstreamCommand.find(self.id, in: store)
      upstream.disabledAt = upstream.disabledAt ?? .now()
      try await UpstreamCommand.update(upstream, in: store)
      if self.json { return try Console.print(json: Row(upstream, at: try self.data.knownIssuer())) }
      Console.printMessage("disabled \(self.id)")
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Allow sign-ins through a provider again.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let store = try await self.data.open().store
      var upstream = try await UpstreamCommand.find(self.id, in: store)
      upstream.disabledAt = nil
      try await UpstreamCommand.update(upstream, in: store)
      if self.json { return try Console.print(json: Row(upstream, at: try self.data.knownIssuer())) }
      Console.printMessage("enabled \(self.id)")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a provider.",
      discussion: """
        Sessions that began there continue. The identities that users have connected remain, and can be used again if a provider with the \
        same issuer is added.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The identifier.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      guard try await Upstreams(store: self.data.open().store).remove(self.id) else {
        throw Failure("there is no provider \"\(self.id)\"")
      }
      if self.json { try Console.print(json: ["id": self.id]) } else { Console.printMessage("removed \(self.id)") }
    }
  }

  // MARK: Shared by the commands

  static func find(_ id: String, in store: any Store) async throws -> UpstreamRecord {
    guard let upstream = try await Upstreams(store: store).upstream(id) else { throw Failure("there is no provider \"\(id)\"") }
    return upstream
  }

  static func update(_ upstream: UpstreamRecord, in store: any Store) async throws {
    guard try await Upstreams(store: store).update(upstream) else { throw Failure("there is no provider \"\(upstream.id)\"") }
  }

  /// Checks that the metadata of a provider can be fetched and used.
  private static func check(_ issuer: Issuer, tenantIssuer: String?) async throws {
    let tenants = tenantIssuer.map { TenantPolicy(issuerTemplate: $0) }
    let error: DiscoveryError? = await AsyncHTTPClientTransport.withTransport { transport in
      do throws(DiscoveryError) {
        _ = try await UpstreamDiscovery.metadata(of: issuer, tenants: tenants, over: transport)
        return nil
      } catch { return error }
    }
    if let error { throw Failure(UpstreamCheckup.explanation(of: error, issuer: issuer)) }
  }

  /// An upstream as it is printed, in JSON or as text.
  struct Row: Encodable {
    let id: String
    let name: String
    let issuer: String
    let clientID: String
    let hasSecret: Bool
    /// Nil if the issuer of this server is not known: the settings do not contain it, and the server has never run with
    /// this data directory.
    let redirectURI: String?
    /// Nil if the issuer of this server is not known.
    let backchannelLogoutURI: String?
    let scope: String
    let accounts: String
    let usernameClaim: String
    let nameClaim: String
    let trustedDomains: [String]
    let twoFactorACR: [String]
    let allowedTenants: [String]
    /// Nil if the server chooses a method that the provider announces.
    let authMethod: String?
    let disabled: Bool

    init(_ record: UpstreamRecord, at issuer: Issuer?) {
      self.id = record.id
      self.name = record.name
      self.issuer = record.issuer
      self.clientID = record.clientID
      self.hasSecret = record.sealedSecret != nil
      self.redirectURI = issuer.map { Upstream.redirectURI(of: record.id, at: $0) }
      self.backchannelLogoutURI = issuer.map { Upstream.backchannelLogoutURI(of: record.id, at: $0) }
      self.scope = (["openid"] + record.details.scopes).joined(separator: " ")
      self.accounts = record.details.accounts.rawValue
      self.usernameClaim = record.details.usernameClaim
      self.nameClaim = record.details.nameClaim ?? "name"
      self.trustedDomains = record.details.trustedDomains
      self.twoFactorACR = record.details.twoFactorContexts
      self.allowedTenants = record.details.allowedTenants ?? []
      self.authMethod = record.details.authenticationMethod?.rawValue
      self.disabled = record.disabledAt != nil
    }

    private enum CodingKeys: String, CodingKey {
      case id, name, issuer, scope, accounts, disabled
      case clientID = "client_id"
      case hasSecret = "has_secret"
      case redirectURI = "redirect_uri"
      case backchannelLogoutURI = "backchannel_logout_uri"
      case usernameClaim = "username_claim"
      case nameClaim = "name_claim"
      case trustedDomains = "trusted_domains"
      case twoFactorACR = "two_factor_acr"
      case allowedTenants = "allowed_tenants"
      case authMethod = "token_endpoint_auth_method"
    }
  }
}
