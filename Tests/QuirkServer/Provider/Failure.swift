package import SallyportProtocol

/// Why a provider rejects a request.
package enum Failure: Sendable, Equatable {
  case unknownClient
  case missingSecret
  case wrongSecret
  case unknownCode
  case wrongVerifier
  case wrongRedirectURI
  case unknownRefreshToken
  case unsupportedGrant
  case missing(parameter: String)
  case invalidScope
  case noConsent
  case unknownDeviceCode
  case pending
  case slowDown
  case denied
  case expiredDeviceCode

  /// The response that the RFCs require (RFC 6749 §5.2, RFC 8628 §3.5). Some providers return other responses.
  package var standardResponse: ErrorResponse {
    switch self {
    case .unknownClient, .missingSecret, .wrongSecret: ErrorResponse("invalid_client", status: 401)
    case .unknownCode, .wrongVerifier, .wrongRedirectURI, .unknownRefreshToken, .unknownDeviceCode: ErrorResponse("invalid_grant")
    case .unsupportedGrant: ErrorResponse("unsupported_grant_type")
    case .missing(let parameter):
      ErrorResponse("invalid_request", members: ["error_description": .string("\(parameter) is missing")])
    case .invalidScope: ErrorResponse("invalid_scope")
    case .noConsent: ErrorResponse("invalid_grant")
    case .pending: ErrorResponse("authorization_pending")
    case .slowDown: ErrorResponse("slow_down")
    case .denied: ErrorResponse("access_denied")
    case .expiredDeviceCode: ErrorResponse("expired_token")
    }
  }
}

/// A rejected request.
package struct Rejection: Error {
  let failure: Failure

  init(_ failure: Failure) {
    self.failure = failure
  }
}

/// A provider's error response.
package struct ErrorResponse: Sendable {
  package var code: String
  package var status: Int
  /// The members in addition to `error`.
  package var members: [String: JSONValue]

  package init(_ code: String, status: Int = 400, members: [String: JSONValue] = [:]) {
    self.code = code
    self.status = status
    self.members = members
  }

  package var body: JSONValue {
    .object(self.members.merging(["error": .string(self.code)]) { $1 })
  }
}
