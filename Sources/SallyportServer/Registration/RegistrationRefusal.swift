package import SallyportProtocol

/// An error of the registration endpoint. The response contains the code and ``description``; the reason is for logs.
package struct RegistrationRefusal: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case notJSON
    case metadata(ClientMetadataError)
    /// None of the redirect URIs can be registered, for these reasons.
    case redirectURIs([ClientMetadataError])
    /// The member's value is not supported. The supported values follow, if they can be listed.
    case notOffered(String, [String])
    /// None of the requested scope values is allowed.
    case scope
    /// The only flow of the client would be the device grant, which is not allowed for dynamic clients.
    case deviceGrantOff
    /// A member that must not be sent, or has a wrong value (RFC 7592 §2.2).
    case notTheClients(String)
    /// The list at `sector_identifier_uri` could not be fetched, or does not contain every redirect URI.
    case sector
    case tokenMissing
    case tokenInvalid
    case quota
    case storage(StoreError)
  }

  package let code: OAuthErrorCode
  package let reason: Reason

  init(_ code: OAuthErrorCode, _ reason: Reason) {
    self.code = code
    self.reason = reason
  }

  init(_ error: ClientMetadataError) {
    self.init(error.code, .metadata(error))
  }

  /// - Parameter error: The error that `JSONDecoder` threw.
  init(unreadable error: any Error) {
    let (path, isKey): ([any CodingKey], Bool) =
      switch error as? DecodingError {
      case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .keyNotFound(_, let context)?:
        (context.codingPath, false)
      case .dataCorrupted(let context)?: (context.codingPath, true)
      default: ([], false)
      }
    // Name the member only if it is a standard one, so that the response does not repeat text of the request.
    let name = path.first?.stringValue.prefix { $0 != "#" } ?? ""
    guard ClientMetadata.memberNames.contains(String(name)) else {
      self.init(.invalidClientMetadata, .notJSON)
      return
    }
    self.init(.member(String(name), isKey && name == "jwks" ? .keySet : .wrongType))
  }

  init(storage error: StoreError) {
    self.init(.temporarilyUnavailable, .storage(error))
  }

  /// The `error_description`: which member is wrong, and why. Contains no values of the request.
  package var description: String {
    switch self.reason {
    case .notJSON: "The body must be a JSON object of client metadata (RFC 7591 section 2)."
    case .metadata(let error): error.sentence
    case .redirectURIs(let problems):
      (["No redirect URI can be registered."] + problems.prefix(4).map(\.sentence)).joined(separator: " ")
    case .notOffered(let member, []): "\(member) is not supported by this server."
    case .notOffered(let member, let values): "\(member) \(ClientMetadataProblem.unsupported(values).rule)."
    case .scope: "scope has no value that this server allows for dynamic clients."
    case .deviceGrantOff:
      "grant_types must include \"authorization_code\": on this server, dynamic clients cannot use the device grant."
    case .notTheClients(let member): "\(member) must not be sent, or does not match this registration."
    case .sector: "sector_identifier_uri must name a JSON array that contains every redirect URI."
    case .tokenMissing: "An access token is required."
    case .tokenInvalid: "The access token is invalid."
    case .quota: "Too many registrations. Try again later."
    case .storage: "The server could not store the registration. Try again later."
    }
  }
}
