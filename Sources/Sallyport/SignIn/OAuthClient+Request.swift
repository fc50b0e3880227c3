import SallyportProtocol
import SallyportRemote

extension OAuthClient {
  /// Creates a pending sign-in: what must be remembered until the authorization response arrives.
  func makePendingSignIn(
    _ options: SignInOptions, redirectURI: RedirectURI, _ metadata: ProviderMetadata
  ) throws -> PendingSignIn {
    guard self.server.responseMode != .formPost || redirectURI.kind == .https else { throw SignInError.formPostRequiresHTTPS }
    var pending = PendingSignIn(
      issuer: self.issuer, clientID: self.clientID, account: self.account, redirectURI: redirectURI,
      scope: self.server.supported(options.scope),
      expiresAt: self.now() + options.timeout, revokesReplaced: options.revokesReplaced)
    pending.details = try self.signInDetails(options, metadata)
    return pending
  }

  /// Checks the options, and returns the part of the pending sign-in that depends on them. It contains a new DPoP key
  /// if the tokens will be bound to a key. Reports ``SignInProgress/sendingSharedSecret`` if it applies.
  func signInDetails(_ options: SignInOptions, _ metadata: ProviderMetadata) throws -> SignInDetails {
    guard options.prompt.isValid else { throw SignInError.promptConflict }
    if let maxAge = options.maxAge, maxAge < .zero { throw SignInError.maxAgeNegative }
    if self.sendsSharedSecret { options.progress(.sendingSharedSecret) }
    var details = SignInDetails()
    details.maxAge = options.maxAge
    details.requiredACRValues = options.requiresACR ? options.acrValues : []
    details.resources = options.resources
    details.dpopKey = try self.dpop.makeKey(for: metadata)?.storedForm
    return details
  }

  /// Builds the URL to open. Pushes the request to the server first (RFC 9126 §2), if the server supports this and the
  /// app's configuration doesn't exclude it.
  ///
  /// If neither the server nor the configuration requires pushed requests, and the endpoint for them is missing or
  /// unavailable, the URL contains the whole request.
  func authorizationURL(
    for pending: PendingSignIn, _ options: SignInOptions, _ endpoints: ProviderEndpoints
  ) async throws -> BrowserURL {
    let key = try self.dpop.restoreKey(pending.details.dpopKey)
    var request = pending.authorizationRequest(options, dpopKey: key?.publicKey)
    request.additional = self.server.parameters.authorization.merging(options.additional)
    if request.prompt.isEmpty { request.prompt = self.server.prompt }
    request.scopeName = self.server.scopeParameter
    request.responseMode = self.server.responseMode?.rawValue
    let endpoint = endpoints.metadata.authorizationEndpoint
    guard let pushed = endpoints.pushedRequest else {
      if endpoints.requiresPushedRequests { throw PushedRequestError.endpointMissing }
      return try BrowserURL(request.url(at: endpoint))
    }
    let requestURI: String
    do {
      requestURI = try await pushed.push(request, provenBy: key)
    } catch  where !endpoints.requiresPushedRequests && Self.isUnavailable(error) {
      try Task.checkCancellation()
      return try BrowserURL(request.url(at: endpoint))
    }
    return try BrowserURL(
      endpoint.appending(query: [(name: "client_id", value: self.clientID), (name: "request_uri", value: requestURI)]))
  }

  /// Whether a pushed request failed because the endpoint is missing or unavailable, and not because of the request.
  private static func isUnavailable(_ error: any Error) -> Bool {
    switch error {
    case TokenRequestError.unavailable, TokenRequestError.network(.unreachable), TokenRequestError.network(.timedOut),
      PushedRequestError.unexpectedStatus(404):
      true
    default: false
    }
  }

  /// Restores a stored DPoP key. Returns `nil` if none was stored.
  func binding(_ stored: Secret<[UInt8]>?) throws(DPoPKeyError) -> DPoPBinding? {
    self.binding(try self.dpop.restoreKey(stored))
  }

  /// The key for the DPoP proof of a token request, and whether a token that is not bound to the key is rejected. `nil`
  /// without a key.
  func binding(_ key: (any DPoPKey)?) -> DPoPBinding? {
    key.map { DPoPBinding(key: $0, isRequired: self.dpop.policy == .required) }
  }
}
