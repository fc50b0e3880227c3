package import SallyportProtocol

/// Why a registration was refused: the code goes over the wire, the reason to the log.
package struct RegistrationRefusal: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case notJSON
    case metadata(ClientMetadataError)
    /// Values that the standards know and this server does not offer; the member is named.
    case notOffered(String)
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

  init(storage error: StoreError) {
    self.init(.temporarilyUnavailable, .storage(error))
  }

  /// The fixed public text: which member is wrong, and by which rule.
  package var description: String {
    switch self.reason {
    case .notJSON: "The body is not a JSON object of client metadata."
    case .metadata(let error): error.advice
    case .notOffered(let member): "This server does not offer that value of \(member)."
    case .notTheClients(let member): "The member \(member) is wrong or not for the client to give."
    case .sector: "The document at sector_identifier_uri does not list every redirect URI."
    case .tokenMissing: "A token is required."
    case .tokenInvalid: "The token is not valid."
    case .quota: "Too many clients register now. Try again later."
    case .storage: "The server could not answer. Try again later."
    }
  }
}

extension ClientMetadataError {
  /// What a developer needs to put it right. The member's name is one of ours, never a text of the request.
  var advice: String {
    switch self {
    case .redirectURI(let index, let error): "The redirect URI at index \(index) is refused: \(error.advice)."
    case .redirectURITooLong(let index): "The redirect URI at index \(index) is too long."
    case .tooManyRedirectURIs: "There are too many redirect URIs."
    case .noRedirectURI: "The code flow needs a redirect URI."
    case .redirectURINotForWeb(let index):
      "The redirect URI at index \(index) is for native apps: set application_type to native, or use https."
    case .mixedRedirectURIs: "The redirect URIs are of web and of native apps: say which by application_type."
    case .member(let name): "The member \(name) is too long, unreadable or has an unknown value."
    case .grantTypes: "The grant types are not allowed or do not fit the response types."
    case .keys: "The client's keys are missing, given twice, or no public keys."
    case .authenticationMissing: "A client that does not authenticate cannot have client credentials."
    }
  }
}

extension RedirectURIError {
  /// The rule, in a few words.
  fileprivate var advice: String {
    switch self {
    case .malformed: "it is not an absolute URI"
    case .fragment: "it has a fragment"
    case .userInfo: "it has user information"
    case .dotSegment: "it has a dot segment"
    case .plainHTTP: "http is for 127.0.0.1, [::1] and localhost"
    case .schemeWithoutPeriod: "a private-use scheme is a reversed domain name"
    case .registeredScheme: "the scheme is registered with IANA"
    case .notSingleSlash: "a private-use scheme is followed by one slash"
    }
  }
}
