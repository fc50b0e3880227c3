extension CheckedClientMetadata.ApplicationType {
  /// Determines the application type of a client.
  ///
  /// Many native clients register without `application_type`, or as `web`, which is the default of OpenID Connect
  /// Registration §2. A client that does not authenticate, and has a redirect URI that only a native app can have,
  /// counts as native even if it registers as `web` (RFC 8252 §8.4).
  /// - Parameters:
  ///   - name: The value of `application_type`, or `nil`.
  ///   - redirectURIs: The client's redirect URIs.
  ///   - method: The value of `token_endpoint_auth_method`.
  /// - Throws: ``ClientMetadataError/member(_:_:)`` for an unknown `application_type`.
  package init(_ name: String?, redirectURIs: [RedirectURI], method: String) throws(ClientMetadataError) {
    let hasNativeURI = redirectURIs.contains { $0.kind != .https }
    guard let name else {
      // A web client that authenticates can have a loopback URI for development beside its `https` URI.
      let canBeWeb = redirectURIs.contains { $0.kind == .https } && !redirectURIs.contains { $0.kind == .privateUse }
      self = hasNativeURI && (method == "none" || !canBeWeb) ? .native : .web
      return
    }
    guard let type = Self(rawValue: name) else {
      throw .member("application_type", .unsupported(Self.allCases.map(\.rawValue)))
    }
    self = type == .web && method == "none" && hasNativeURI ? .native : type
  }

  /// Whether a client of this type can have the redirect URI (RFC 8252 §7, RFC 9700 §2.6).
  ///
  /// A web client uses `https`. If it authenticates, it can also use a loopback address, for a server on the
  /// developer's computer: the response does not leave the computer, and other programs there cannot redeem the code,
  /// because they don't have the client's credentials.
  /// - Parameter method: The value of `token_endpoint_auth_method`.
  package func allows(_ uri: RedirectURI, method: String) -> Bool {
    switch uri.kind {
    case .https: true
    case .loopback: self == .native || method != "none"
    case .privateUse: self == .native
    }
  }
}
