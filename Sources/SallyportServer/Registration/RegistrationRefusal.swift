package import SallyportProtocol

/// Why a registration was refused: the code goes over the wire, the reason to the log.
package struct RegistrationRefusal: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case notJSON
    case metadata(ClientMetadataError)
    /// No redirect URI can be registered; the reasons.
    case redirectURIs([ClientMetadataError])
    /// The member has a value that this server does not support; the supported ones, if they can be listed.
    case notOffered(String, [String])
    /// Nothing is left of the scope that was asked for.
    case scope
    /// The device grant alone, which only an operator's clients have here.
    case deviceGrantOff
    /// A member that a client has no say in, RFC 7592 §2.2.
    case notTheClients(String)
    /// The list at `sector_identifier_uri` cannot be had, or does not hold every redirect URI.
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

  /// - Parameter error: What `JSONDecoder` threw.
  init(unreadable error: any Error) {
    let (path, isKey): ([any CodingKey], Bool) =
      switch error as? DecodingError {
      case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .keyNotFound(_, let context)?:
        (context.codingPath, false)
      case .dataCorrupted(let context)?: (context.codingPath, true)
      default: ([], false)
      }
    // A name out of the request is repeated only if it is one that the standards have.
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

  /// The public text: which member is wrong, and why. It contains nothing of the request.
  package var description: String {
    switch self.reason {
    case .notJSON: "The body must be a JSON object of client metadata (RFC 7591 §2)."
    case .metadata(let error): error.sentence
    case .redirectURIs(let problems):
      (["No redirect URI can be registered."] + problems.prefix(4).map(\.sentence)).joined(separator: " ")
    case .notOffered(let member, []): "\(member) is not supported by this server."
    case .notOffered(let member, let values): "\(member) \(ClientMetadataProblem.unsupported(values).rule)."
    case .scope: "scope has no value that apps can get here by registering themselves."
    case .deviceGrantOff:
      "grant_types must include \"authorization_code\": on this server, apps that register themselves cannot use the device grant."
    case .notTheClients(let member): "\(member) must not be sent, or does not belong to this registration."
    case .sector: "sector_identifier_uri must name a JSON array that contains every redirect URI."
    case .tokenMissing: "A token is required."
    case .tokenInvalid: "The token is invalid."
    case .quota: "Too many registrations. Try again later."
    case .storage: "The server could not store the registration. Try again later."
    }
  }
}
