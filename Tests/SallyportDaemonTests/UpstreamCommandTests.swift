import ArgumentParser
import Foundation
import SallyportProtocol
import SallyportRemote
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("sallyportd upstream")
struct UpstreamCommandTests {
  /// Runs `upstream add ID --offline` in a new data directory, and returns the stored upstream.
  private func add(_ id: String, _ options: [String]) async throws -> UpstreamRecord? {
    let path = FileManager.default.temporaryDirectory.appending(path: "sallyport-upstream-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let command = try UpstreamCommand.Add.parse([id, "--offline", "--client-id", "rp", "--data", path] + options)
    try await command.run()
    return try await Upstreams(store: DataDirectory(path: path).store).upstream(id)
  }

  @Test(
    "a preset sets the name, the issuer, the scopes, and the template of tenants' issuers, and options replace the preset's values"
  )
  func presets() async throws {
    let google = try #require(try await self.add("g", ["--preset", "google"]))
    #expect(google.name == "Google" && google.issuer == "https://accounts.google.com")
    #expect(google.details.usernameClaim == "email" && google.details.tenantIssuer == nil)
    let apple = try #require(try await self.add("a", ["--preset", "apple", "--name", "ID"]))
    #expect(apple.name == "ID" && apple.issuer == "https://appleid.apple.com" && apple.details.scopes.isEmpty)
    let gitLab = try #require(try await self.add("l", ["--preset", "gitlab", "--issuer", "https://git.example"]))
    #expect(gitLab.name == "GitLab" && gitLab.issuer == "https://git.example")
    // The tenant of all personal Microsoft accounts (`consumers`) has a fixed identifier.
    let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
    for (tenant, path) in [
      (nil, "common"), ("organizations", "organizations"), ("consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"),
    ] as [(String?, String)] {
      let options = ["--preset", "microsoft", "--allowed-tenant", "t"] + (tenant.map { ["--tenant", $0] } ?? [])
      let microsoft = try #require(try await self.add("m", options))
      #expect(microsoft.issuer == "https://login.microsoftonline.com/\(path)/v2.0")
      #expect(microsoft.details.tenantIssuer == template && microsoft.details.allowedTenants == ["t"])
    }
  }

  @Test(
    "a Microsoft tenant that is named by its identifier, or as `consumers`, is the only allowed one, so its email domains can be trusted"
  )
  func singleTenant() async throws {
    let tenant = "72F988BF-86F1-41AF-91AB-2D7CD011DB47"
    let options = ["--preset", "microsoft", "--trusted-domain", "corp.example"]
    let single = try #require(try await self.add("m", options + ["--tenant", tenant]))
    #expect(single.details.allowedTenants == [tenant.lowercased()] && single.details.trustedDomains == ["corp.example"])
    let personal = try #require(try await self.add("m", options + ["--tenant", "consumers"]))
    #expect(personal.details.allowedTenants == ["9188040d-6c67-4c5b-b112-36a304b66dad"])
    for tenant in ["organizations", "corp.example"] {
      await #expect(throws: Failure.self) { try await self.add("m", options + ["--tenant", tenant]) }
    }
  }

  @Test("the audit trail says which settings of a provider were changed, but not their values")
  func changes() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let secret = try folder.write("hunter2 and more\n", to: "secret")
    let data = ["--data", "\(folder.path)/data"]
    try await UpstreamCommand.Add.parse(
      ["corp", "--offline", "--client-id", "rp", "--issuer", "https://a.example", "--secret-file", secret] + data
    ).run()
    for options in [
      ["--name", "Corp", "--trusted-domain", "corp.example"], ["--name", "Corp"], ["--secret-file", secret],
      ["--client-id", "rp2", "--auth-method", "client_secret_post", "--scope", "email", "--accounts", "create"],
      ["--username-claim", "upn", "--name-claim", "display", "--two-factor-acr", "mfa"],
    ] { try await UpstreamCommand.Edit.parse(["corp"] + options + data).run() }
    try await UpstreamCommand.Disable.parse(["corp"] + data).run()
    try await UpstreamCommand.Disable.parse(["corp"] + data).run()
    try await UpstreamCommand.Enable.parse(["corp"] + data).run()
    let upstreams = Upstreams(store: try DataDirectory(path: data[1]).store)
    var upstream = try #require(try await upstreams.upstream("corp"))
    upstream.details.tenantIssuer = "https://{tenantid}.example"
    #expect(try await upstreams.update(upstream))
    let lines = try await AuditReader(store: DataDirectory(path: data[1]).store).newestLines(AuditQuery(limit: 100))
    #expect(
      lines.map { $0.text.split(separator: " ").dropFirst().joined(separator: " ") } == [
        "upstream-added subject=corp by=command", "upstream-changed subject=corp changed=name,trusted_domains by=command",
        "upstream-changed subject=corp changed=client_secret by=command",
        "upstream-changed subject=corp changed=client_id,token_endpoint_auth_method,scope,accounts by=command",
        "upstream-changed subject=corp changed=username_claim,name_claim,two_factor_acr by=command",
        "upstream-changed subject=corp changed=disabled by=command", "upstream-changed subject=corp changed=disabled by=command",
        "upstream-changed subject=corp changed=tenant_issuer by=command",
      ])
  }

  @Test("if a provider cannot be reached, the explanation contains the reason as text")
  func unreachable() throws {
    let explanation = UpstreamCheckup.explanation(
      of: .document(.transport(.unreachable(reason: "Connection refused"))), issuer: try Issuer("https://a.example"))
    #expect(explanation == "cannot reach https://a.example: Connection refused")
  }

  @Test("the claims for the user name and the name can be chosen")
  func claims() async throws {
    let options = ["--issuer", "https://a.example", "--username-claim", "upn", "--name-claim"]
    let chosen = try #require(try await self.add("a", options + ["https://a.example/claims/display-name"]))
    #expect(chosen.details.usernameClaim == "upn" && chosen.details.nameClaim == "https://a.example/claims/display-name")
    for standard in ["", "name"] {
      #expect(try #require(try await self.add("a", options + [standard])).details.nameClaim == nil)
    }
  }

  @Test("details that were stored before operators could choose the claim for the name can still be read")
  func earlierDetails() throws {
    let json = Data(#"{"scopes":[],"accounts":"create","trustedDomains":[],"usernameClaim":"email","twoFactorContexts":[]}"#.utf8)
    let details = try JSONDecoder().decode(UpstreamDetails.self, from: json)
    #expect(details == UpstreamDetails(scopes: [], accounts: .create, usernameClaim: "email"))
  }

  @Test(
    "a provider without OpenID Connect and options that do not fit the provider are rejected with a reason",
    arguments: [
      (["--preset", "github"], "cannot be an upstream"), (["--preset", "unknown"], "the presets are"),
      (["--preset", "keycloak"], "specify it with --issuer"), ([], "specify the provider"),
      (["--preset", "google", "--tenant", "t"], "--tenant requires"),
      (["--issuer", "https://a.example", "--tenant", "t"], "--tenant requires"),
      (["--preset", "microsoft", "--tenant", "a/b"], "is not a tenant"),
      (["--preset", "microsoft", "--tenant", "a?b"], "is not a tenant"),
      (["--preset", "google", "--allowed-tenant", "t"], "--allowed-tenant requires"),
      (["--preset", "microsoft", "--trusted-domain", "corp.example"], "--trusted-domain requires"),
      (["--preset", "google", "--username-claim", ""], "--username-claim must be"),
      (["--preset", "google", "--username-claim", "a b"], "--username-claim must be"),
      (["--preset", "google", "--name-claim", "é"], "--name-claim must be"),
    ] as [([String], String)])
  func rejected(_ options: [String], _ reason: String) async throws {
    do {
      _ = try await self.add("x", options)
      Issue.record("\(options) was accepted")
    } catch {
      #expect("\(error)".contains(reason), "\(error)")
    }
  }
}
