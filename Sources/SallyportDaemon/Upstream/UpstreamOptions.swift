public import ArgumentParser
import FoundationEssentials
import SallyportProtocol
public import SallyportServer

/// The settings of an upstream (another OpenID provider through which users sign in), for the commands 'add' and
/// 'edit'.
struct UpstreamOptions: ParsableArguments {
  @Option(help: "The name that users see on the button.") var name: String?
  @Option(help: ArgumentHelp("A file whose first line is the client secret.", valueName: "file")) var secretFile: String?
  @Flag(help: "Read the client secret from the first line of standard input.") var secretFromStdin = false
  @Option(help: "The scopes to request besides openid. (default: profile email)") var scope: String?
  @Option(
    help: ArgumentHelp(
      "What happens when a user without an account signs in: create (an account is created) or link-only (the sign-in fails). (default: link-only)",
      valueName: "policy"))
  var accounts: UpstreamDetails.Accounts?
  @Option(
    name: .customLong("trusted-domain"),
    help: ArgumentHelp(
      "A domain whose verified email addresses at the provider identify existing accounts here. Repeatable.", valueName: "domain")
  )
  var trustedDomains: [String] = []
  @Option(
    help: ArgumentHelp(
      "The claim from which the user name of a new account is made, such as preferred_username or email. (default: preferred_username)",
      valueName: "claim"))
  var usernameClaim: String?
  @Option(
    help: ArgumentHelp(
      "The claim that contains the full name of the user of a new account. An empty text restores the default. (default: name)",
      valueName: "claim"))
  var nameClaim: String?
  @Option(
    name: .customLong("two-factor-acr"),
    help: ArgumentHelp("An acr value of the provider that counts as two factors. Repeatable.", valueName: "acr"))
  var twoFactorContexts: [String] = []
  @Option(
    name: .customLong("allowed-tenant"),
    help: ArgumentHelp(
      "The identifier of a tenant whose users can sign in, at a provider with several tenants. Repeatable. (default: all tenants)",
      valueName: "tenant"))
  var allowedTenants: [String] = []
  @Option(
    help: ArgumentHelp(
      "How this server authenticates at the token endpoint: client_secret_basic or client_secret_post. (default: what the provider announces)",
      valueName: "method"))
  var authMethod: ClientAuthenticationMethod?

  /// Returns the secret; nil if none is specified.
  func secret() throws -> Secret<String>? {
    guard self.secretFile == nil || !self.secretFromStdin else {
      throw Failure("--secret-file and --secret-from-stdin cannot be combined")
    }
    if self.secretFromStdin { return try Console.readSecret("Client secret") }
    guard let path = self.secretFile else { return nil }
    guard let data = try? Data(contentsOf: URL(filePath: path)),
      let line = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first
    else { throw Failure("cannot read a client secret from the first line of \(path)") }
    return Secret(String(line))
  }

  /// Replaces the settings for which an option was specified.
  func apply(to upstream: inout UpstreamRecord, sealingWith secrets: UpstreamSecrets) throws {
    if let name = self.name {
      guard !name.isEmpty, name.utf8.count <= 64 else { throw Failure("--name must have 1 to 64 bytes") }
      upstream.name = name
    }
    if let secret = try self.secret() { upstream.sealedSecret = try secrets.seal(secret, of: upstream.id) }
    if let scope = self.scope {
      guard Scope("openid \(scope)") != nil else { throw Failure("--scope \"\(scope)\" is not a valid scope") }
      upstream.details.scopes = scope.split(separator: " ").map(String.init).filter { $0 != "openid" }
    }
    if let accounts = self.accounts { upstream.details.accounts = accounts }
    if !self.trustedDomains.isEmpty {
      // A single empty domain removes all domains.
      upstream.details.trustedDomains = try self.trustedDomains.filter { !$0.isEmpty }.map(Self.domain)
    }
    if let claim = self.usernameClaim { upstream.details.usernameClaim = try Self.claim(claim, "--username-claim") }
    if let claim = self.nameClaim {
      upstream.details.nameClaim = ["", "name"].contains(claim) ? nil : try Self.claim(claim, "--name-claim")
    }
    if !self.twoFactorContexts.isEmpty { upstream.details.twoFactorContexts = self.twoFactorContexts.filter { !$0.isEmpty } }
    if let method = self.authMethod {
      guard method.usesSecret else { throw Failure("--auth-method must be client_secret_basic or client_secret_post") }
      upstream.details.authenticationMethod = method
    }
    try self.applyTenants(to: &upstream)
  }

  private func applyTenants(to upstream: inout UpstreamRecord) throws {
    if !self.allowedTenants.isEmpty {
      guard upstream.details.tenantIssuer != nil else { throw Failure("--allowed-tenant requires --preset microsoft") }
      // A single empty value removes all tenants, so that the users of every tenant can sign in.
      let tenants = self.allowedTenants.filter { !$0.isEmpty }
      upstream.details.allowedTenants = tenants.isEmpty ? nil : tenants
    }
    // Anyone can create a tenant, and an administrator of a tenant decides which email addresses its users have.
    let details = upstream.details
    guard details.tenantIssuer == nil || details.allowedTenants != nil || details.trustedDomains.isEmpty else {
      throw Failure("--trusted-domain requires --allowed-tenant for a provider that was added with --preset microsoft")
    }
  }

  private static func claim(_ text: String, _ option: String) throws -> String {
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure("\(option) must be the name of a claim, with 1 to 64 ASCII characters and no spaces, not \"\(text)\"")
    }
    return text
  }

  private static func domain(_ text: String) throws -> String {
    guard EmailAddress("user@\(text)") != nil, text.contains(".") else {
      throw Failure("--trusted-domain must be a domain such as example.com, not \"\(text)\"")
    }
    return text.lowercased()
  }
}

extension UpstreamDetails.Accounts: ExpressibleByArgument {}
