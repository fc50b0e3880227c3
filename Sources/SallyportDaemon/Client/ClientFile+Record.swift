import FoundationEssentials
import SallyportProtocol
import SallyportServer

extension ClientFile.Entry {
  /// Creates the entry from which an import creates the same client.
  /// - Parameter secret: The client's secret, if it was just created. A stored client contains only the fingerprint of
  ///   its secret.
  init(_ record: ClientRecord, secret: Secret<String>? = nil) {
    self.metadata = record.registeredMetadata
    self.clientID = record.id.rawValue
    self.secret = secret
    self.origin = record.origin.rawValue
    self.isFirstParty = record.isFirstParty
    self.requiresPKCE = record.details.requiresPKCE ?? false
    self.requiredContext = record.details.requiredContext
    self.webViews = record.details.webViews
    self.resources = record.details.resources ?? []
    self.audiences = record.details.audiences ?? []
    self.appleAppIDs = record.details.appleAppIDs ?? []
    self.androidApps = (record.details.androidApps ?? []).map {
      AndroidApp(package: $0.package, digests: $0.certificateDigests)
    }
  }

  /// Whether the client registered itself or has a metadata document, according to ``origin``. `client import` skips
  /// such an entry.
  var belongsToNoOperator: Bool { self.origin.map { $0 != ClientRecord.Origin.operator.rawValue } ?? false }

  /// All problems of the entry.
  /// - Parameter schemes: The private-use schemes without a period that the operator allows.
  func problems(schemes: Set<String> = []) -> [String] {
    var problems: [String] = []
    if self.clientID == nil { problems.append("client_id: is required") }
    if self.isTypeUnknown(schemes) {
      problems.append("application_type: must be native or web; it can be left out if all redirect URIs are of one type")
    }
    if self.grantTypes == nil { problems.append("grant_types: contains an unsupported grant type") }
    if let method = self.metadata.tokenEndpointAuthMethod, ClientAuthenticationMethod(rawValue: method) == nil {
      problems.append("token_endpoint_auth_method: must be none, client_secret_basic, client_secret_post, or private_key_jwt")
    }
    if self.metadata.jwks != nil, self.metadata.jwksURI != nil {
      problems.append("jwks and jwks_uri: only one of them is allowed")
    }
    if !self.appleAppIDs.allSatisfy(AssociationOptions.isAppleAppID) {
      problems.append("apple_app_ids: each must be the team's ten letters and digits, a period, and the bundle identifier")
    }
    let areAndroidAppsValid = self.androidApps.allSatisfy { app in
      AssociationOptions.isPackage(app.package) && !app.digests.isEmpty
        && app.digests.allSatisfy { AssociationOptions.isDigest($0.uppercased()) }
    }
    if !areAndroidAppsValid {
      problems.append("android_apps: each must have a package name and the SHA-256 digests of its certificates")
    }
    return problems + self.registration(schemes).problems().map { $0.explanation() }
  }

  /// Returns the record to store, and the secret if a new secret was created.
  /// - Parameter existing: The stored client, if there is one. The record keeps this client's creation time, and its
  ///   secret if the file contains no secret.
  func record(
    at now: Timestamp, replacing existing: ClientRecord?, schemes: Set<String> = []
  ) throws(ClientRegistrationError) -> (ClientRecord, Secret<String>?) {
    var (record, secret) = try self.registration(schemes).register(at: existing?.createdAt ?? now)
    record.grantTypes = self.grantTypes ?? record.grantTypes
    if record.authenticationMethod.usesSecret, self.secret == nil, let storedFingerprint = existing?.secretFingerprint {
      record.secretFingerprint = storedFingerprint
      secret = nil
    }
    if !self.appleAppIDs.isEmpty { record.details.appleAppIDs = self.appleAppIDs }
    if !self.androidApps.isEmpty {
      record.details.androidApps = self.androidApps.map {
        ClientDetails.AndroidApp(package: $0.package, certificateDigests: $0.digests.map { $0.uppercased() })
      }
    }
    return (record, secret)
  }

  /// Whether the type is invalid, or is missing and cannot be derived from the other members. A missing type is not
  /// reported if a redirect URI is invalid, because ``problems(schemes:)`` then reports that URI instead.
  private func isTypeUnknown(_ schemes: Set<String>) -> Bool {
    guard self.kind(schemes) == nil else { return false }
    do {
      _ = try CheckedClientMetadata.operatorApplicationType(of: self.metadata, schemes: UndottedSchemes(schemes))
      return false
    } catch {
      return self.metadata.applicationType != nil || error == .mixedRedirectURIs
    }
  }

  private func kind(_ schemes: Set<String>) -> ClientRegistration.Kind? {
    if self.grantTypes == [.clientCredentials] { return .service }
    switch try? CheckedClientMetadata.operatorApplicationType(of: self.metadata, schemes: UndottedSchemes(schemes)) {
    case .native: return .native
    case .web: return .web
    case nil: return nil
    }
  }

  /// The grant types of the entry; nil if one of them is unsupported.
  private var grantTypes: [GrantType]? {
    guard let names = self.metadata.grantTypes else { return [.authorizationCode, .refreshToken] }
    let types = names.compactMap(GrantType.init)
    return types.count == names.count ? types : nil
  }

  private func registration(_ schemes: Set<String>) -> ClientRegistration {
    let metadata = self.metadata
    var registration = ClientRegistration(
      id: self.clientID, name: metadata.clientName ?? self.clientID ?? "", kind: self.kind(schemes) ?? .native,
      redirectURIs: metadata.redirectURIs ?? [], scope: metadata.scope ?? "openid profile email offline_access",
      signingAlgorithm: metadata.idTokenSignedResponseAlg ?? "ES256")
    registration.authenticationMethod = metadata.tokenEndpointAuthMethod.flatMap(ClientAuthenticationMethod.init)
    registration.secret = self.secret
    registration.keys = self.keys
    registration.additionalGrantTypes = self.grantTypes ?? []
    registration.postLogoutRedirectURIs = metadata.postLogoutRedirectURIs ?? []
    registration.resources = self.resources
    registration.audiences = self.audiences
    registration.isFirstParty = self.isFirstParty
    registration.requiresPKCE = self.requiresPKCE
    registration.requiredContext = self.requiredContext
    registration.webViews = self.webViews
    registration.schemes = schemes
    registration.metadata = metadata
    return registration
  }

  private var keys: ClientKeys? {
    if let uri = self.metadata.jwksURI { return .remote(uri) }
    return self.metadata.jwks.flatMap { try? $0.storedText() }.map { .inline($0) }
  }
}

extension ClientKeySet {
  /// Returns the keys as JSON with sorted members, so that an import does not change a client that has the same keys.
  func storedText() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
