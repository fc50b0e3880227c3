import HTTPTypes
import SallyportProtocol

/// Creates the response to a rejected request (RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1).
struct AccessErrorBuilder: Sendable {
  let metadataURL: String
  let acceptance: DPoPAcceptance

  /// - Parameter scheme: The scheme that the token was sent with, or `nil` if the request has no token or presents it
  ///   in a way that is not allowed.
  func error(
    _ reason: AccessError.Reason, scheme: PresentedAccessToken.Scheme?, requirement: AccessRequirement
  ) -> AccessError {
    var fields: HTTPFields = [.cacheControl: "no-store"]
    for challenge in self.challenges(reason, scheme: scheme, requirement: requirement) {
      fields.append(HTTPField(name: .wwwAuthenticate, value: challenge.fieldValue))
    }
    // If the API uses nonces, each error response to a request that presents a token with the DPoP scheme contains one,
    // so that the client's next proof can contain it (RFC 9449 §8.2).
    if scheme == .dpop, let nonces = self.acceptance.nonces { fields[.dpopNonce] = nonces.current }
    // `Retry-After` is in seconds.
    if reason.status == .serviceUnavailable { fields[.retryAfter] = "5" }
    return AccessError(reason: reason, status: reason.status, fields: fields)
  }

  private func challenges(
    _ reason: AccessError.Reason, scheme: PresentedAccessToken.Scheme?, requirement: AccessRequirement
  ) -> [AuthenticationChallenge] {
    switch reason.status {
    case .serviceUnavailable: []
    default: self.schemes(for: reason, presented: scheme).map { self.challenge($0, reason, requirement) }
    }
  }

  /// The schemes that the client can use. Bearer is first, because clients without DPoP may read only the first
  /// challenge.
  private func schemes(
    for reason: AccessError.Reason, presented: PresentedAccessToken.Scheme?
  ) -> [PresentedAccessToken.Scheme] {
    let supportedSchemes: [PresentedAccessToken.Scheme] =
      switch self.acceptance.demand {
      case .off: [.bearer]
      case .accepted: [.bearer, .dpop]
      case .required: [.dpop]
      }
    switch reason {
    case .tokenMissing, .request: return supportedSchemes
    // An API that does not use DPoP rejects a bound token with either scheme, so the client needs a token that is not
    // bound.
    case .boundTokenAsBearer: return self.acceptance.demand == .off ? [.bearer] : [.dpop]
    case .bindingRequired, .proofMissing, .proof, .proofReplayed: return [.dpop]
    case .bindingNotSupported: return [.bearer]
    default:
      guard let presented, supportedSchemes.contains(presented) else { return supportedSchemes }
      return [presented]
    }
  }

  private func challenge(
    _ scheme: PresentedAccessToken.Scheme, _ reason: AccessError.Reason, _ requirement: AccessRequirement
  ) -> AuthenticationChallenge {
    var parameters: [(name: String, value: String)] = []
    if let code = reason.code {
      parameters.append(("error", code.description))
      parameters.append(("error_description", reason.errorDescription))
    }
    if reason.includesScope, !requirement.scope.isEmpty { parameters.append(("scope", requirement.scope.description)) }
    if reason == .insufficientAuthentication {
      if !requirement.acrValues.isEmpty { parameters.append(("acr_values", requirement.acrValues.joined(separator: " "))) }
      if let maxAge = requirement.maxAge { parameters.append(("max_age", "\(maxAge.components.seconds)")) }
    }
    if scheme == .dpop {
      parameters.append(("algs", DPoPAlgorithm.allCases.map(\.rawValue).joined(separator: " ")))
    }
    parameters.append(("resource_metadata", self.metadataURL))
    return AuthenticationChallenge(scheme: scheme.rawValue, parameters: parameters)
  }
}

extension AccessError.Reason {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .request: .badRequest
    case .token(.issuerUnreachable), .replaysUnknown: .serviceUnavailable
    case .insufficientScope: .forbidden
    default: .unauthorized
    }
  }

  /// The `error` code, or `nil` if no token was presented (RFC 6750 §3.1). Not used for responses with status 503,
  /// which have no challenge.
  fileprivate var code: OAuthErrorCode? {
    switch self {
    case .tokenMissing, .replaysUnknown: nil
    case .request: .invalidRequest
    case .token, .boundTokenAsBearer, .tokenNotBound, .bindingRequired, .bindingNotSupported: .invalidToken
    case .proof(let error): error.code
    case .proofMissing, .proofReplayed: .invalidDPoPProof
    case .insufficientScope: .insufficientScope
    case .insufficientAuthentication: .insufficientUserAuthentication
    }
  }

  /// The `error_description`. If the verification of a token or a proof fails, the description doesn't reveal to the
  /// sender which check failed.
  fileprivate var errorDescription: String {
    switch self {
    case .request: "The request presents its access token in a way that is not allowed."
    case .boundTokenAsBearer: "The access token is bound to a key and cannot be used with the Bearer scheme."
    case .tokenNotBound: "The access token is not bound to a key and cannot be used with the DPoP scheme."
    case .bindingRequired: "This resource requires an access token that is bound to a key."
    case .bindingNotSupported: "This resource does not accept access tokens that are bound to a key."
    case .proof, .proofMissing, .proofReplayed: "The DPoP proof is missing, invalid, or already used."
    case .insufficientScope: "The access token does not have the required scope."
    case .insufficientAuthentication: "The request requires stronger or more recent user authentication."
    default: "The access token is malformed, expired, revoked, or not for this resource."
    }
  }

  /// Whether the challenge contains the required scope.
  fileprivate var includesScope: Bool {
    switch self {
    case .tokenMissing, .insufficientScope: true
    default: false
    }
  }
}
