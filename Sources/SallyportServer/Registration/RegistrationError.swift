import HTTPTypes
import SallyportProtocol

/// Why the registration endpoint rejects a request.
package enum RegistrationError: EndpointError {
  case notJSON
  case metadata(ClientMetadataRejection)
  /// A member of an update that is missing, must not be sent, or has a wrong value (RFC 7592 §2.2).
  case memberMismatch(String)
  /// The list at `sector_identifier_uri` could not be fetched, or does not contain every redirect URI.
  case sector
  case tokenMissing
  case tokenInvalid
  case quota
  case storage(StoreError)

  /// - Parameter error: The error that `JSONDecoder` threw.
  init(unreadable error: any Error) {
    let (path, isCorrupted): ([any CodingKey], Bool) =
      switch error as? DecodingError {
      case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .keyNotFound(_, let context)?:
        (context.codingPath, false)
      case .dataCorrupted(let context)?: (context.codingPath, true)
      default: ([], false)
      }
    // Name the member only if it is a standard one, so that the response does not repeat text of the request.
    // A `#` separates the name from a language tag (RFC 7591 §2.2).
    let name = String(path.first?.stringValue.prefix { $0 != "#" } ?? "")
    guard ClientMetadata.memberNames.contains(name) else {
      self = .notJSON
      return
    }
    self = .metadata(.member(name, isCorrupted && name == "jwks" ? .keySet : .wrongType))
  }

  package var response: ErrorResponse {
    switch self {
    case .notJSON:
      ErrorResponse(
        .invalidClientMetadata, description: "The body must be a JSON object of client metadata (RFC 7591 section 2).")
    case .metadata(let rejection): ErrorResponse(rejection.code, description: rejection.description)
    case .memberMismatch(let member):
      ErrorResponse(
        .invalidClientMetadata,
        description: "\(member) is missing, is not allowed in an update, or does not match the registration.")
    case .sector:
      ErrorResponse(
        .invalidClientMetadata,
        description: "sector_identifier_uri must be the URL of a JSON array that contains every redirect URI.")
    // RFC 6750 §3.1: the challenge for a request without a token contains no error.
    case .tokenMissing:
      Self.invalidToken(
        "A bearer token is required: an initial access token, or the client's registration access token.", challenge: [:])
    case .tokenInvalid: Self.invalidToken("The access token is invalid.", challenge: ["error": "invalid_token"])
    case .quota: .tooManyRequests(description: "Too many registrations or updates. Try again later.")
    case .storage:
      ErrorResponse(
        .temporarilyUnavailable, description: "The server could not read or store the registration. Try again later.",
        status: .serviceUnavailable)
    }
  }

  private static func invalidToken(_ description: String, challenge: KeyValuePairs<String, String>) -> ErrorResponse {
    ErrorResponse(
      .invalidToken, description: description, status: .unauthorized,
      headers: [.wwwAuthenticate: AuthenticationChallenge(scheme: "Bearer", parameters: challenge).fieldValue])
  }

  package var reason: String {
    switch self {
    case .metadata(.metadata(.member(let name, let problem))): "\(name) \(problem.rule)"
    case .metadata(.notSupported(let name, _)), .memberMismatch(let name): name
    case .metadata(let rejection): "\(rejection)"
    default: "\(self)"
    }
  }
}
