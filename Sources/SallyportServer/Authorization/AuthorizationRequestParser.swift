package import SallyportProtocol

/// A request of the authorization endpoint that broke no rule. Only ``AuthorizationRequestParser`` makes one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  package let scope: Scope
  package let challenge: CodeChallenge?
  package let nonce: String?
  package let prompt: Prompt
  /// In seconds.
  package let maxAge: Int64?
  package let loginHint: String?

  fileprivate init(
    redirect: VerifiedRedirect, scope: Scope, challenge: CodeChallenge?, nonce: String?, prompt: Prompt, maxAge: Int64?,
    loginHint: String?
  ) {
    self.redirect = redirect
    self.scope = scope
    self.challenge = challenge
    self.nonce = nonce
    self.prompt = prompt
    self.maxAge = maxAge
    self.loginHint = loginHint
  }
}

/// Reads and checks a request of the authorization endpoint: first who asks and where the answer goes, then everything else.
package struct AuthorizationRequestParser<S: Store>: Sendable {
  let cache: ConfigurationCache<S>
  let clients: ClientDocuments<S>
  let anyLocalhostPort: Bool

  /// - Parameter encoded: the query of a GET or the form of a POST.
  package func parse(_ encoded: String) async throws(AuthorizeError) -> ValidatedAuthorizationRequest {
    let (form, repeated): (FormParameters, Set<String>)
    do throws(FormError) { (form, repeated) = try FormParameters.collectingRepeated(parsing: encoded) } catch {
      throw .page(.malformedRequest)
    }
    let redirect = try await self.verifiedRedirect(form, repeated: repeated)
    do throws(InvalidRequest) {
      guard repeated.isEmpty else { throw InvalidRequest(.invalidRequest, .repeatedParameter) }
      return try Self.validate(form, redirect)
    } catch {
      let target = repeated.contains("state") ? redirect.withoutState() : redirect
      throw target.isVouchedFor ? .redirect(target, error.code, error.reason) : .page(.unvouchedRedirect(error.code))
    }
  }

  private func verifiedRedirect(
    _ form: FormParameters, repeated: Set<String>
  ) async throws(AuthorizeError) -> VerifiedRedirect {
    for name in ["client_id", "redirect_uri"] where repeated.contains(name) { throw .page(.repeatedParameter(name)) }
    guard let id = form["client_id"] else { throw .page(.clientMissing) }
    let client: ClientRecord?
    do { client = try await self.clients.client(ClientID(rawValue: id)) } catch { throw .page(.storage(error)) }
    guard let client else { throw .page(.clientUnknown) }
    guard let requested = form["redirect_uri"] else { throw .page(.redirectURIMissing) }
    return try VerifiedRedirect.verify(
      client: client, requested: requested, state: form["state"], anyLocalhostPort: self.anyLocalhostPort)
  }

  // MARK: Pure checks, one function each

  struct InvalidRequest: Error {
    let code: OAuthErrorCode
    let reason: AuthorizeError.RedirectReason
    init(_ code: OAuthErrorCode, _ reason: AuthorizeError.RedirectReason) {
      self.code = code
      self.reason = reason
    }
  }

  static func validate(
    _ form: FormParameters, _ redirect: VerifiedRedirect
  ) throws(InvalidRequest) -> ValidatedAuthorizationRequest {
    try self.checkRequestObject(form)
    try self.checkResponseType(form)
    return ValidatedAuthorizationRequest(
      redirect: redirect, scope: try self.scope(form, of: redirect.client),
      challenge: try self.challenge(form, of: redirect.client), nonce: form["nonce"], prompt: try self.prompt(form),
      maxAge: try self.maxAge(form), loginHint: form["login_hint"])
  }

  /// OpenID Connect Core §6.1 and §6.2: what is not supported is refused by its own code.
  private static func checkRequestObject(_ form: FormParameters) throws(InvalidRequest) {
    if form["request"] != nil { throw InvalidRequest(.requestNotSupported, .requestObject) }
    if form["request_uri"] != nil { throw InvalidRequest(.requestURINotSupported, .requestURI) }
  }

  /// RFC 8252 §8.2: no implicit and no hybrid flow.
  private static func checkResponseType(_ form: FormParameters) throws(InvalidRequest) {
    guard let type = form["response_type"] else { throw InvalidRequest(.invalidRequest, .responseTypeMissing) }
    guard type == "code" else { throw InvalidRequest(.unsupportedResponseType, .responseTypeNotCode) }
    guard form["response_mode"].map({ $0 == "query" }) ?? true else {
      throw InvalidRequest(.invalidRequest, .responseModeNotQuery)
    }
  }

  /// RFC 7636 §4.4.1 and RFC 8252 §8.1.
  private static func challenge(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) -> CodeChallenge? {
    guard let value = form["code_challenge"] else {
      if client.requiresPKCE || form["code_challenge_method"] != nil { throw InvalidRequest(.invalidRequest, .challengeMissing) }
      return nil
    }
    do { return try CodeChallenge(value, method: form["code_challenge_method"]) } catch {
      throw InvalidRequest(.invalidRequest, error == .methodNotSupported ? .challengeMethod : .challengeMalformed)
    }
  }

  /// RFC 6749 §3.3: what the client may have of what it asks for; without the parameter, all but `offline_access`.
  private static func scope(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) -> Scope {
    guard let text = form["scope"] else { return client.scope.subtracting(.offlineAccess) }
    guard let requested = Scope(text) else { throw InvalidRequest(.invalidScope, .scopeMalformed) }
    let allowed = requested.intersection(client.scope)
    guard !allowed.isEmpty else { throw InvalidRequest(.invalidScope, .scopeNotAllowed) }
    return allowed
  }

  private static func prompt(_ form: FormParameters) throws(InvalidRequest) -> Prompt {
    guard let text = form["prompt"] else { return [] }
    guard let prompt = Prompt(parsing: text) else { throw InvalidRequest(.invalidRequest, .promptMalformed) }
    return prompt
  }

  private static func maxAge(_ form: FormParameters) throws(InvalidRequest) -> Int64? {
    guard let text = form["max_age"] else { return nil }
    guard let seconds = Int64(text), (0...Int64(Int32.max)).contains(seconds) else {
      throw InvalidRequest(.invalidRequest, .maxAgeMalformed)
    }
    return seconds
  }
}
