package import SallyportProtocol
package import SallyportRemote

/// Validates a callback URL before its code is exchanged (RFC 6749 §4.1.2, RFC 8252 §8.9 and §8.10, RFC 9207 §2.4).
package enum AuthorizationResponse {
  /// Checks a callback URL against the pending request.
  ///
  /// `state` is checked before all other parameters, including `error`, so that someone who doesn't know the state
  /// cannot end a sign-in.
  package static func validate(
    callbackURL: Secret<String>, pending: PendingSignIn, metadata: ProviderMetadata
  ) throws(AuthorizationResponseError) -> ValidatedResponse {
    let parameters = try self.parameters(of: callbackURL.reveal(), on: pending.redirectURI)
    try self.checkState(parameters, pending: pending)
    try self.checkIssuer(parameters, pending: pending, metadata)
    if let error = parameters["error"] {
      throw .refused(
        OAuthErrorResponse(error: error, description: parameters["error_description"], redacting: self.secrets(of: pending)))
    }
    guard let code = parameters["code"] else { throw .codeMissing }
    return ValidatedResponse(code: Secret(code), pending: pending)
  }

  /// Whether a request to the receiver is the response to `pending`. If not, the receiver rejects the request and keeps
  /// waiting.
  package static func isResponse(_ callbackURL: String, to pending: PendingSignIn) -> Bool {
    do {
      try self.match(Secret(callbackURL), pending)
      return true
    } catch {
      return false
    }
  }

  /// The `state` in a callback URL. The state identifies the sign-in. The redirect URI is not checked.
  static func state(in callbackURL: String) throws(AuthorizationResponseError) -> Secret<String> {
    guard callbackURL.utf8.count <= self.maximumLength, let url = URIComponents(callbackURL) else { throw .malformed }
    guard let state = try self.parse(url.query ?? "")["state"] else { throw .stateMissing }
    return Secret(state)
  }

  /// Checks that a callback URL belongs to `pending` (RFC 8252 §8.9 and §8.10).
  static func match(_ callbackURL: Secret<String>, _ pending: PendingSignIn) throws(AuthorizationResponseError) {
    try self.checkState(self.parameters(of: callbackURL.reveal(), on: pending.redirectURI), pending: pending)
  }

  /// Returns the parameters of a callback URL. The URL must equal the redirect URI of the request, except for the
  /// parameters that the server added to the query, and for the path `/` that browsers add to an http or https URL
  /// without a path. Both spellings are the same URL (RFC 3986 §6.2.3).
  static func parameters(
    of callbackURL: String, on redirectURI: RedirectURI
  ) throws(AuthorizationResponseError) -> FormParameters {
    guard callbackURL.utf8.count <= self.maximumLength, let url = URIComponents(callbackURL) else { throw .malformed }
    let expected = redirectURI.components
    let path = expected.path.isEmpty && redirectURI.kind != .privateUse && url.path == "/" ? "" : url.path
    guard url.scheme == expected.scheme, url.authority == expected.authority, path == expected.path, url.fragment == nil
    else { throw .wrongRedirectURI }
    var query = Substring(url.query ?? "")
    if let own = expected.query, !own.isEmpty {
      guard query.hasPrefix("\(own)&") else { throw .wrongRedirectURI }
      query = query.dropFirst(own.count + 1)
    }
    return try self.parse(query)
  }

  private static func parse(_ query: some StringProtocol) throws(AuthorizationResponseError) -> FormParameters {
    do {
      return try FormParameters(parsing: query)
    } catch .repeated {
      throw .repeatedParameter
    } catch {
      throw .malformed
    }
  }

  /// Checks `state` (RFC 8252 §8.9).
  private static func checkState(
    _ parameters: FormParameters, pending: PendingSignIn
  ) throws(AuthorizationResponseError) {
    guard let state = parameters["state"] else { throw .stateMissing }
    guard Secret(state) == pending.state else { throw .stateMismatch }
  }

  /// Checks `iss` if it is present, in error responses too. If the server announces that it sends `iss`, the response
  /// must contain it (RFC 9207 §2.4).
  private static func checkIssuer(
    _ parameters: FormParameters, pending: PendingSignIn, _ metadata: ProviderMetadata
  ) throws(AuthorizationResponseError) {
    guard let issuer = parameters["iss"] else {
      if metadata.announcesIssuer { throw .issuerMissing }
      return
    }
    // Compare bytes, because `String` equality treats canonically equivalent strings as equal.
    guard issuer.utf8.elementsEqual(pending.issuer.value.utf8) || metadata.accepts(issuer: issuer) else { throw .issuerMismatch }
  }

  private static func secrets(of pending: PendingSignIn) -> [Secret<String>] {
    [pending.state, pending.nonce, pending.codeVerifier.text]
  }

  /// The maximum length of a callback URL, in bytes. It limits memory use, and is far longer than servers need for a
  /// code.
  private static let maximumLength = 16 << 10
}

/// A validated response and the sign-in that it belongs to. Only a value of this type can be exchanged for tokens.
package struct ValidatedResponse: Sendable {
  package let code: Secret<String>
  package let pending: PendingSignIn

  fileprivate init(code: Secret<String>, pending: PendingSignIn) {
    self.code = code
    self.pending = pending
  }
}
