import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Tests the files that tell the operating systems of phones which apps may receive links to the issuer's host, such as
/// an app's claimed `https` redirect URI.
@Suite("Association files")
struct AssociationTests {
  private static let apple = "/.well-known/apple-app-site-association"
  private static let android = "/.well-known/assetlinks.json"
  private static let digest = Array(repeating: "AB", count: 32).joined(separator: ":")

  /// Adds a client that names an app for Apple's systems and an app for Android.
  private func add(
    _ site: Site, _ id: String, origin: ClientRecord.Origin = .operator, type: ClientRecord.ApplicationType = .native,
    redirects: [String]
  ) async throws {
    var record = ClientRecord(
      id: ClientID(rawValue: id), name: id, type: .public, applicationType: type, origin: origin,
      redirectURIs: try redirects.map { try RedirectURI($0) }, scope: "openid", createdAt: site.fixture.clock.now)
    record.details.appleAppIDs = ["TEAMID1234.com.example.\(id)"]
    record.details.androidApps = [.init(package: "com.example.\(id)", certificateDigests: [Self.digest])]
    let added = record
    try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(added) }
  }

  @Test(
    "S-16: both files list the app of an operator's client, neither lets the app fill in passwords, and Apple's file has exactly the app's https redirect paths"
  )
  func files() async throws {
    try await withSite(issuer: "https://id.example/tenant") { site in
      try await self.add(
        site, "notes", redirects: ["https://id.example/app/cb", "https://id.example/app/other", "http://127.0.0.1/cb"])
      let apple = try await site.send(.get, Self.apple)
      #expect(apple.status == .ok && apple.headers[.contentType] == "application/json")
      #expect(
        apple.body
          == #"{"applinks":{"details":[{"appIDs":["TEAMID1234.com.example.notes"],"components":[{"/":"/app/cb"},{"/":"/app/other"}]}]}}"#
      )
      let android = try await site.send(.get, Self.android)
      #expect(
        android.body
          == #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"com.example.notes","sha256_cert_fingerprints":["\#(Self.digest)"]}}]"#
      )
      #expect(!(apple.body + android.body).contains("credentials"))
    }
  }

  @Test(
    "S-16: only native apps that an operator registered are listed, and only with an https redirect URI that is on the issuer's own origin and has a path without pattern characters"
  )
  func listed() async throws {
    try await withSite { site in
      let redirectURI = "https://id.example/cb"
      try await self.add(site, "dynamic-app", origin: .dynamic, redirects: [redirectURI])
      try await self.add(site, "document-app", origin: .document, redirects: [redirectURI])
      try await self.add(site, "site", type: .web, redirects: [redirectURI])
      let elsewhere = [
        "https://other.example/cb", "https://id.example:8443/cb", "https://id.example/a*", "https://id.example",
        "https://id.example/%2A", "https://id.example/$(lang)",
      ]
      try await self.add(site, "elsewhere", redirects: elsewhere)
      for path in [Self.apple, Self.android] { #expect(try await site.send(.get, path).status == .notFound) }
      // The next response contains an app that was added in the meantime.
      try await self.add(site, "notes", redirects: [redirectURI])
      for path in [Self.apple, Self.android] {
        let body = try await site.send(.get, path).body
        #expect(body.contains("com.example.notes"))
        for other in ["dynamic", "document", "site\"", "elsewhere"] { #expect(!body.contains("com.example.\(other)")) }
      }
    }
  }
}
