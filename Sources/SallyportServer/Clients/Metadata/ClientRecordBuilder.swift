#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol
import SallyportRemote

/// Creates a client record from the metadata that a client provides, without side effects.
enum ClientRecordBuilder {
  /// Creates the record with the supported part of the metadata (RFC 7591 §3.2.1).
  /// - Throws: ``ClientMetadataRejection`` if a member is invalid or not supported.
  static func record(
    _ metadata: ClientMetadata, id: ClientID, origin: ClientRecord.Origin, policy: RegistrationPolicy, at now: Timestamp
  ) throws(ClientMetadataRejection) -> ClientRecord {
    let checked = try self.checkedMetadata(metadata, policy)
    let metadata = checked.metadata
    let method = try self.method(checked)
    let grantTypes = try self.grantTypes(checked)
    try self.checkSupportedMembers(metadata)
    var record = ClientRecord(
      id: id, name: self.name(metadata, id), type: method == .none ? .public : .confidential,
      applicationType: checked.applicationType == .native ? .native : .web, origin: origin, redirectURIs: checked.redirectURIs,
      scope: try self.scope(checked.scope, policy), signingAlgorithm: try self.signingAlgorithm(metadata),
      authenticationMethod: method, keys: try self.keys(metadata), grantTypes: grantTypes, createdAt: now)
    record.details = try self.details(metadata, origin: origin)
    // FAPI 2.0 does not allow RS256, the usual default.
    if record.usesSecurityProfile, metadata.idTokenSignedResponseAlg == nil {
      record.signingAlgorithm = SigningKey.Algorithm.es256.rawValue
    }
    if let member = FAPIAlgorithms.violation(of: record) {
      throw .notSupported(member, FAPIAlgorithms.all)
    }
    return record
  }

  /// The grant types that are available to a client that no operator registered. Each of them requires a user.
  private static func allowedGrantTypes(_ policy: RegistrationPolicy) -> [GrantType] {
    [.authorizationCode, .refreshToken] + (policy.allowsDeviceGrant ? [.deviceCode] : [])
  }

  private static func checkedMetadata(
    _ metadata: ClientMetadata, _ policy: RegistrationPolicy
  ) throws(ClientMetadataRejection) -> CheckedClientMetadata {
    let allowed = self.allowedGrantTypes(policy).map(\.rawValue)
    do throws(AcceptableClientMetadataError) {
      return try AcceptableClientMetadata(metadata, grantTypes: allowed, schemes: UndottedSchemes(policy.schemes)).checked
    } catch {
      switch error {
      case .grantTypes(let requested) where requested.contains(GrantType.deviceCode.rawValue):
        throw .deviceGrantNotAllowed
      case .grantTypes: throw .notSupported("grant_types", allowed)
      case .redirectURIs(let problems): throw .redirectURIs(problems)
      case .metadata(let error): throw .metadata(error)
      }
    }
  }

  private static func method(_ checked: CheckedClientMetadata) throws(ClientMetadataRejection) -> ClientAuthenticationMethod {
    guard let method = ClientAuthenticationMethod(rawValue: checked.tokenEndpointAuthMethod) else {
      throw .notSupported("token_endpoint_auth_method", ClientAuthenticationMethod.allCases.map(\.rawValue))
    }
    return method
  }

  /// Returns the grant types, which must include one that issues new grants.
  private static func grantTypes(_ checked: CheckedClientMetadata) throws(ClientMetadataRejection) -> [GrantType] {
    let types = checked.grantTypes.compactMap(GrantType.init)
    guard types.contains(.authorizationCode) || types.contains(.deviceCode) else {
      throw .notSupported("grant_types", [GrantType.authorizationCode.rawValue])
    }
    return types
  }

  /// Checks the subject type and the keys for signed requests. These checks also apply to operators' clients.
  static func checkSupportedMembers(_ metadata: ClientMetadata) throws(ClientMetadataRejection) {
    try self.checkSubjectType(metadata)
    try self.checkRequestObjects(metadata)
  }

  private static func checkSubjectType(_ metadata: ClientMetadata) throws(ClientMetadataRejection) {
    guard metadata.subjectType ?? "public" == "public" else {
      throw .notSupported("subject_type", ["public"])
    }
  }

  /// A client that must sign its requests needs registered keys, so that the server can verify the signatures.
  private static func checkRequestObjects(_ metadata: ClientMetadata) throws(ClientMetadataRejection) {
    guard metadata.requireSignedRequestObject == true else { return }
    guard metadata.jwks != nil || metadata.jwksURI != nil else {
      throw .member("jwks", .requiredBy("require_signed_request_object"))
    }
  }

  /// Returns the requested scope, limited to the policy's scope; by default, the policy's whole scope.
  private static func scope(_ requested: Scope?, _ policy: RegistrationPolicy) throws(ClientMetadataRejection) -> Scope {
    guard let requested else { return policy.scope }
    let scope = requested.intersection(policy.scope)
    guard !scope.isEmpty else { throw .scope }
    return scope
  }

  private static var supportedSigningAlgorithms: [String] { SigningKey.Algorithm.allCases.map(\.rawValue) }

  /// Returns the ID token algorithm. The default is RS256 (OpenID Connect Registration §2).
  private static func signingAlgorithm(_ metadata: ClientMetadata) throws(ClientMetadataRejection) -> String {
    try self.algorithm(
      metadata.idTokenSignedResponseAlg, "id_token_signed_response_alg", of: self.supportedSigningAlgorithms) ?? "RS256"
  }

  private static func keys(_ metadata: ClientMetadata) throws(ClientMetadataRejection) -> ClientKeys? {
    if let uri = try self.checkedRemoteURL(metadata.jwksURI, "jwks_uri") { return .remote(uri) }
    guard let jwks = metadata.jwks else { return nil }
    guard let text = try? WireJSON.encode(jwks) else { throw .member("jwks", .keySet) }
    return .inline(String(decoding: text, as: UTF8.self))
  }

  /// Returns the name of the client; by default, the host of the client's metadata document, or "Unnamed app" for a
  /// client without a document.
  private static func name(_ metadata: ClientMetadata, _ id: ClientID) -> String {
    metadata.clientName ?? ClientIDDocumentURL(id.rawValue)?.url.components.host ?? "Unnamed app"
  }

  static func details(
    _ metadata: ClientMetadata, origin: ClientRecord.Origin
  ) throws(ClientMetadataRejection) -> ClientDetails {
    var details = ClientDetails()
    details.postLogoutRedirectURIs = metadata.postLogoutRedirectURIs
    details.backchannelLogoutURI =
      origin == .operator
      ? metadata.backchannelLogoutURI : try self.checkedRemoteURL(metadata.backchannelLogoutURI, "backchannel_logout_uri")
    details.backchannelLogoutSessionRequired = metadata.backchannelLogoutSessionRequired
    details.contacts = metadata.contacts
    details.clientURI = metadata.clientURI
    details.logoURI = metadata.logoURI
    details.policyURI = metadata.policyURI
    details.termsOfServiceURI = metadata.termsOfServiceURI
    details.requiresPushedRequests = metadata.requirePushedAuthorizationRequests
    details.requiresDPoP = metadata.dpopBoundAccessTokens
    details.requiresSignedRequest = metadata.requireSignedRequestObject
    details.requestObjectAlgorithm = try self.algorithm(
      metadata.requestObjectSigningAlg, "request_object_signing_alg", of: ClientAssertion.algorithms)
    details.assertionAlgorithm = try self.algorithm(
      metadata.tokenEndpointAuthSigningAlg, "token_endpoint_auth_signing_alg", of: ClientAssertion.algorithms)
    details.userinfoAlgorithm = try self.algorithm(
      metadata.userinfoSignedResponseAlg, "userinfo_signed_response_alg", of: self.supportedSigningAlgorithms)
    details.defaultMaxAge = metadata.defaultMaxAge.map { Int64($0) }
    details.requiresAuthenticationTime = metadata.requireAuthTime
    details.defaultACRValues = metadata.defaultACRValues
    details.requestURIs = metadata.requestURIs
    details.sectorIdentifierURI = metadata.sectorIdentifierURI
    details.initiateLoginURI = metadata.initiateLoginURI
    details.softwareID = metadata.softwareID
    details.softwareVersion = metadata.softwareVersion
    return details
  }

  /// Checks a URL that the server itself opens: it must use HTTPS and must not name a loopback or private address.
  static func checkedRemoteURL(_ uri: String?, _ member: String) throws(ClientMetadataRejection) -> String? {
    guard let uri else { return nil }
    guard uri.hasPrefix("https://"), let url = try? EndpointURL(uri) else {
      throw .member(member, .notHTTPS)
    }
    guard AddressPolicy.isPublic(url) else { throw .member(member, .privateAddress) }
    return uri
  }

  /// Returns the algorithm that a member names, which must be one that the server's metadata lists for this use.
  private static func algorithm(
    _ name: String?, _ member: String, of supported: [String]
  ) throws(ClientMetadataRejection) -> String? {
    guard let name else { return nil }
    guard supported.contains(name) else { throw .notSupported(member, supported) }
    return name
  }
}

extension ClientRecord {
  /// The registration without credentials, for a response (RFC 7591 §3.2.1).
  package var registeredMetadata: ClientMetadata {
    var metadata = ClientMetadata()
    metadata.redirectURIs = self.redirectURIs.map(\.value)
    metadata.tokenEndpointAuthMethod = self.authenticationMethod.rawValue
    metadata.grantTypes = self.grantTypes.map(\.rawValue)
    metadata.responseTypes = self.grantTypes.contains(.authorizationCode) ? ["code"] : []
    metadata.clientName = self.name
    metadata.scope = self.scope.description
    metadata.applicationType = self.applicationType.rawValue
    metadata.subjectType = "public"
    metadata.idTokenSignedResponseAlg = self.signingAlgorithm
    switch self.keys {
    case .inline(let text): metadata.jwks = try? JSONDecoder().decode(ClientKeySet.self, from: Data(text.utf8))
    case .remote(let uri): metadata.jwksURI = uri
    case nil: break
    }
    self.details.describe(in: &metadata)
    return metadata
  }
}

extension ClientDetails {
  fileprivate func describe(in metadata: inout ClientMetadata) {
    metadata.postLogoutRedirectURIs = self.postLogoutRedirectURIs
    metadata.backchannelLogoutURI = self.backchannelLogoutURI
    metadata.backchannelLogoutSessionRequired = self.backchannelLogoutSessionRequired
    metadata.contacts = self.contacts
    metadata.clientURI = self.clientURI
    metadata.logoURI = self.logoURI
    metadata.policyURI = self.policyURI
    metadata.termsOfServiceURI = self.termsOfServiceURI
    metadata.requirePushedAuthorizationRequests = self.requiresPushedRequests
    metadata.dpopBoundAccessTokens = self.requiresDPoP
    metadata.requireSignedRequestObject = self.requiresSignedRequest
    metadata.requestObjectSigningAlg = self.requestObjectAlgorithm
    metadata.tokenEndpointAuthSigningAlg = self.assertionAlgorithm
    metadata.userinfoSignedResponseAlg = self.userinfoAlgorithm
    metadata.defaultMaxAge = self.defaultMaxAge.map { Int($0) }
    metadata.requireAuthTime = self.requiresAuthenticationTime
    metadata.defaultACRValues = self.defaultACRValues
    metadata.requestURIs = self.requestURIs
    metadata.sectorIdentifierURI = self.sectorIdentifierURI
    metadata.initiateLoginURI = self.initiateLoginURI
    metadata.softwareID = self.softwareID
    metadata.softwareVersion = self.softwareVersion
  }
}
