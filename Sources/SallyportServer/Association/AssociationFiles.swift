package import SallyportProtocol

/// The files that tell a platform which apps may open links to this host, built from the registered clients (RFC 8252
/// §7.2 and §8.4, rule S-16).
///
/// They include only native apps that an operator registered with a redirect URI on this server's own origin. The file
/// for Apple platforms contains the exact paths of these redirect URIs. Neither file lets an app use the passwords
/// that are saved for this host: Apple's file has no `webcredentials`, and Android's has no `get_login_creds`.
package struct AssociationFiles: Sendable {
  package let apple: AppleAppSiteAssociation?
  package let android: [AndroidStatement]?

  /// Creates the files. A file is nil if it would name no app.
  package init(_ clients: [ClientRecord], issuer: Issuer) {
    let apps = clients.filter { $0.origin == .operator && $0.applicationType == .native }.compactMap { client in
      let paths = Self.paths(of: client, issuer: issuer)
      return paths.isEmpty ? nil : (client: client, paths: paths)
    }
    let details = apps.compactMap { app -> AppleAppSiteAssociation.Detail? in
      guard let ids = app.client.details.appleAppIDs, !ids.isEmpty else { return nil }
      return AppleAppSiteAssociation.Detail(appIDs: ids, components: app.paths.map { .init(path: $0) })
    }
    self.apple = details.isEmpty ? nil : AppleAppSiteAssociation(applinks: .init(details: details))
    let statements = apps.flatMap { $0.client.details.androidApps ?? [] }.map(AndroidStatement.init)
    self.android = statements.isEmpty ? nil : statements
  }

  /// The paths of the client's redirect URIs on the issuer's origin.
  ///
  /// Paths with `*`, `?`, `%`, or `$` and URIs with a query are left out, because in the file format they could match
  /// more than the registered URI.
  private static func paths(of client: ClientRecord, issuer: Issuer) -> [String] {
    client.redirectURIs.filter { uri in
      uri.kind == .https && "\(uri.scheme)://\(uri.components.authority ?? "")" == issuer.origin && uri.components.query == nil
        && !uri.components.path.isEmpty && !uri.components.path.utf8.contains(where: "*?%$".utf8.contains)
    }.map(\.components.path)
  }
}

/// The file `apple-app-site-association`, which declares universal links.
package struct AppleAppSiteAssociation: Encodable, Sendable, Equatable {
  package let applinks: AppLinks

  package struct AppLinks: Encodable, Sendable, Equatable {
    package let details: [Detail]
  }

  package struct Detail: Encodable, Sendable, Equatable {
    package let appIDs: [String]
    package let components: [Component]
  }

  package struct Component: Encodable, Sendable, Equatable {
    package let path: String

    private enum CodingKeys: String, CodingKey { case path = "/" }
  }
}

/// A statement of the file `assetlinks.json`, which declares App Links.
package struct AndroidStatement: Encodable, Sendable, Equatable {
  package let relation = ["delegate_permission/common.handle_all_urls"]
  package let target: Target

  package struct Target: Encodable, Sendable, Equatable {
    package let namespace = "android_app"
    package let packageName: String
    package let digests: [String]

    private enum CodingKeys: String, CodingKey {
      case namespace
      case packageName = "package_name"
      case digests = "sha256_cert_fingerprints"
    }
  }

  init(_ app: ClientDetails.AndroidApp) {
    self.target = Target(packageName: app.package, digests: app.certificateDigests)
  }
}
