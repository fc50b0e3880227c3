package import SallyportProtocol

/// Why the metadata that a client provides is not accepted (RFC 7591 §3.2.2).
package enum ClientMetadataRejection: Error, Equatable, Sendable {
  case metadata(ClientMetadataError)
  /// None of the redirect URIs can be registered, for these reasons.
  case redirectURIs([ClientMetadataError])
  /// The value of the member with this name is not supported. The list contains the supported values. If the list
  /// is empty, the server does not support the member at all.
  case notSupported(String, [String])
  /// None of the requested scope values is allowed.
  case scope
  /// None of the requested grant types is allowed, and one of them is the device grant, which the operator can allow
  /// (``RegistrationPolicy/allowsDeviceGrant``).
  case deviceGrantNotAllowed

  static func member(_ name: String, _ problem: ClientMetadataProblem) -> ClientMetadataRejection {
    .metadata(.member(name, problem))
  }

  package var code: OAuthErrorCode {
    switch self {
    case .metadata(let error): error.code
    case .redirectURIs: .invalidRedirectURI
    case .notSupported, .scope, .deviceGrantNotAllowed: .invalidClientMetadata
    }
  }

  /// The `error_description`: which member is wrong, and why. It contains no values of the request.
  package var description: String {
    switch self {
    case .metadata(let error): error.sentence
    case .redirectURIs(let problems):
      // At most four reasons, to limit the length of the description.
      (["None of the redirect URIs can be registered."] + problems.prefix(4).map(\.sentence)).joined(separator: " ")
    case .notSupported(let member, []): "\(member) is not supported by this server."
    case .notSupported(let member, let values): "\(member) \(ClientMetadataProblem.unsupported(values).rule)."
    case .scope: "scope has no value that this server allows for clients that no operator added."
    case .deviceGrantNotAllowed:
      "grant_types must include \"authorization_code\": on this server, clients that no operator added cannot use the device grant."
    }
  }
}
