package import SallyportProtocol
package import SallyportRemote

/// The checks between a callback URL and a code that may be exchanged: RFC 6749 §4.1.2, RFC 8252 §8.9 and §8.10, RFC 9207 §2.4.
package enum AuthorizationResponse {
  /// Checks a callback URL against the request that it should answer.
  ///
  /// `state` comes before everything that the response says, an `error` included: nobody who does not know it ends a sign-in.
  package static func validate(
    callbackURL: Secret<String>, pending: PendingSignIn, metadata: ProviderMetadata
  ) throws(AuthorizationResponseError) -> ValidatedResponse {
    let parameters = try self.parameters(of: callbackURL.reveal(), on: pending.redirectURI)
    try self.checkState(parameters, pending: pending)
    try self.checkIssuer(parameters, pending: pending, announced: metadata.announcesIssuer)
    if let error = parameters["error"] {
      throw .refused(ServerRefusal(error: error, description: parameters["error_description"], hiding: self.secrets(of: pending)))
    }
    guard let code = parameters["code"] else { throw .codeMissing }
    return ValidatedResponse(code: Secret(code), pending: pending)
  }

  /// Whether a request to the receiver is the answer to `pending` at all; if not, it is turned away and the wait goes on.
  package static func verdict(callbackURL: String, pending: PendingSignIn) -> RedirectVerdict {
    do {
      try self.match(Secret(callbackURL), pending)
      return .accept
    } catch {
      return .reject
    }
  }

  /// The state that a callback URL names, whatever else is in it, by which its request is looked up.
  static func state(in callbackURL: String) throws(AuthorizationResponseError) -> Secret<String> {
    guard callbackURL.utf8.count <= self.maximumLength, let url = URIComponents(callbackURL) else { throw .malformed }
    do {
      guard let state = try FormParameters(parsing: url.query ?? "")["state"] else {
        throw AuthorizationResponseError.stateMissing
      }
      return Secret(state)
    } catch FormError.repeated {
      throw .repeatedParameter
    } catch is FormError {
      throw .malformed
    } catch {
      throw .stateMissing
    }
  }

  /// Whether a callback URL is the answer to `pending`: RFC 8252 §8.9 and §8.10.
  static func match(_ callbackURL: Secret<String>, _ pending: PendingSignIn) throws(AuthorizationResponseError) {
    try self.checkState(self.parameters(of: callbackURL.reveal(), on: pending.redirectURI), pending: pending)
  }

  /// The parameters of a response, where it came on exactly the redirect URI of its request.
  static func parameters(
    of callbackURL: String, on redirectURI: RedirectURI
  ) throws(AuthorizationResponseError) -> FormParameters {
    guard callbackURL.utf8.count <= self.maximumLength, let url = URIComponents(callbackURL) else { throw .malformed }
    let expected = redirectURI.components
    guard url.scheme == expected.scheme, url.authority == expected.authority, url.path == expected.path, url.fragment == nil
    else { throw .wrongRedirectURI }
    var query = Substring(url.query ?? "")
    if let own = expected.query, !own.isEmpty {
      guard query.hasPrefix("\(own)&") else { throw .wrongRedirectURI }
      query = query.dropFirst(own.count + 1)
    }
    do {
      return try FormParameters(parsing: query)
    } catch .repeated {
      throw .repeatedParameter
    } catch {
      throw .malformed
    }
  }

  /// RFC 8252 §8.9.
  private static func checkState(
    _ parameters: FormParameters, pending: PendingSignIn
  ) throws(AuthorizationResponseError) {
    guard let state = parameters["state"] else { throw .stateMissing }
    guard Secret(state) == pending.state else { throw .stateMismatch }
  }

  /// RFC 9207 §2.4: compared wherever it is there, demanded where the server announces it; in error responses as well.
  private static func checkIssuer(
    _ parameters: FormParameters, pending: PendingSignIn, announced: Bool
  ) throws(AuthorizationResponseError) {
    guard let issuer = parameters["iss"] else {
      if announced { throw .issuerMissing }
      return
    }
    // Bytes, since Swift's own equality takes canonically equivalent texts for the same.
    guard issuer.utf8.elementsEqual(pending.issuer.value.utf8) else { throw .issuerMismatch }
  }

  private static func secrets(of pending: PendingSignIn) -> [Secret<String>] {
    [pending.state, pending.nonce, pending.codeVerifier.text]
  }

  /// In bytes; longer than any code that a server issues, shorter than what fills a memory.
  private static let maximumLength = 16 << 10
}

/// A response that passed every check, with the request it answers. The code exchange takes nothing else.
package struct ValidatedResponse: Sendable {
  package let code: Secret<String>
  package let pending: PendingSignIn

  fileprivate init(code: Secret<String>, pending: PendingSignIn) {
    self.code = code
    self.pending = pending
  }
}
