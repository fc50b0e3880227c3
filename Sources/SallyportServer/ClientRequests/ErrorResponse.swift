package import HTTPTypes
package import SallyportProtocol

/// The response to a client or an upstream whose request fails (RFC 6749 §5.2).
package struct ErrorResponse: Sendable, Equatable {
  /// The `error` parameter.
  package let code: OAuthErrorCode
  /// The `error_description` parameter. It contains no values of the request.
  package let description: String
  package let status: HTTPResponse.Status
  /// Header fields of this response, in addition to the header fields that every response of the endpoint has.
  package let headers: HTTPFields

  /// - Parameters:
  ///   - description: Nil for a description that depends only on the code, so that the response does not reveal which
  ///     check a stolen credential failed.
  ///   - status: The status; nil for the default, which is 500 for `server_error` and 400 for all other codes.
  init(
    _ code: OAuthErrorCode, description: String? = nil, status: HTTPResponse.Status? = nil, headers: HTTPFields = [:]
  ) {
    self.code = code
    self.description = description ?? Self.description(of: code)
    self.status = status ?? (code == .serverError ? .internalServerError : .badRequest)
    self.headers = headers
  }

  /// The store is not available.
  static let storage = ErrorResponse(.serverError, status: .serviceUnavailable)

  /// A rate limit is exceeded. Most of these limits are per minute, so `Retry-After` is 60 seconds.
  static func tooManyRequests(description: String? = nil) -> ErrorResponse {
    ErrorResponse(
      .temporarilyUnavailable, description: description, status: .tooManyRequests, headers: [.retryAfter: "60"])
  }

  private static func description(of code: OAuthErrorCode) -> String {
    switch code {
    case .invalidRequest: "A request parameter is missing, repeated, or malformed."
    case .invalidClient:
      "The client is unknown, its credentials are missing or invalid, or it does not use its registered authentication method."
    case .invalidGrant: "The code, device code, or refresh token is invalid, expired, revoked, or does not match this request."
    case .invalidScope: "The scope is malformed, or not allowed for this client or grant."
    case .unauthorizedClient: "The client is not allowed to use this grant type."
    case .invalidTarget: "The resource parameter is malformed, or names a resource that is unknown or was not granted."
    case .invalidDPoPProof: "The DPoP proof is missing or invalid for this request."
    case .useDPoPNonce: "The DPoP proof must contain the nonce from the DPoP-Nonce header."
    case .authorizationPending: "The user has not decided yet."
    case .slowDown: "The client polls too often. Increase the interval by 5 seconds."
    case .accessDenied: "The user denied the request."
    case .expiredToken: "The device code has expired."
    case .temporarilyUnavailable: "Too many requests for this client or from this address. Try again later."
    case .invalidRequestObject: "The request object is invalid."
    case .requestNotSupported: "Request objects require a client with registered keys."
    case .unmetAuthenticationRequirements: "The server cannot authenticate users at the level that this request requires."
    case .unsupportedResponseType: "The response_type must be 'code'."
    case .unsupportedGrantType: "The server does not support this grant type."
    default: "The server cannot process the request. Try again later."
    }
  }
}

/// An error of an endpoint for clients or upstreams.
///
/// The sender of the request receives only the ``response``. The ``reason`` is for logs and tests.
package protocol EndpointError: Error, Equatable {
  var response: ErrorResponse { get }
  /// What exactly failed. It contains no values of the request.
  var reason: String { get }
}

extension EndpointError {
  package var reason: String { "\(self)" }
  package var code: OAuthErrorCode { self.response.code }
}
