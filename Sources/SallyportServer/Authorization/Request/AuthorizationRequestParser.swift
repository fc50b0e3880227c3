import SallyportProtocol

/// Parses and validates authorization requests: first the client and the redirect URI, then all other parameters.
package struct AuthorizationRequestParser: Sendable {
  let cache: ConfigurationCache
  let clients: ClientDocuments
  let objects: RequestObjects
  let pushedRequests: PushedRequests
  let configuration: ServerConfiguration
  let redirectRules: RedirectRules

  /// - Parameters:
  ///   - encoded: The query of a GET request or the form of a POST request.
  ///   - address: The client address of the request.
  package func parse(_ encoded: String, from address: ClientAddress = .unknown) async throws(AuthorizeError)
    -> ValidatedAuthorizationRequest
  {
    let (form, repeated): (FormParameters, Set<String>)
    do throws(FormError) {
      (form, repeated) = try FormParameters.collectingRepeated(parsing: encoded, repeatable: ResourceIndicators.repeatableNames)
    } catch { throw .page(.malformedRequest) }
    // If one of these parameters is repeated, it is not clear which redirect URI an error response would be sent to.
    for name in ["client_id", "redirect_uri", "request", "request_uri"] where repeated.contains(name) {
      throw .page(.repeatedParameter(name))
    }
    let client = try await self.client(form, from: address)
    if let uri = form["request_uri"], uri.hasPrefix(PushedRequests.requestURIPrefix) {
      let pushed = try await self.pushedRequest(uri, for: client)
      // The signature requirement was checked when the request was pushed.
      var request = try await self.validate(pushed.form, of: client, Protection(isPushed: true, isSigned: true))
      request.pushed = pushed
      return request
    }
    let (resolved, isSigned) = try await self.resolved(form, of: client, from: address)
    return try await self.validate(resolved, of: client, Protection(isSigned: isSigned), repeated: repeated)
  }

  /// Validates a request that a client pushes. It is validated again when the user agent presents its `request_uri`.
  func parsePushed(
    _ form: FormParameters, of client: ClientRecord, from address: ClientAddress
  ) async throws(AuthorizeError) -> ValidatedAuthorizationRequest {
    let (resolved, isSigned) = try await self.resolved(form, of: client, from: address)
    return try await self.validate(resolved, of: client, Protection(isPushed: true, isSigned: isSigned))
  }

  /// How the request is protected against changes by the user agent.
  private struct Protection {
    var isPushed = false
    var isSigned = false
  }

  // MARK: Client and request object

  private func client(_ form: FormParameters, from address: ClientAddress) async throws(AuthorizeError) -> ClientRecord {
    guard let id = form["client_id"] else { throw .page(.clientMissing) }
    let client: ClientRecord?
    do { client = try await self.clients.client(ClientID(rawValue: id), for: address) } catch { throw .page(.storage(error)) }
    guard let client else { throw .page(.clientUnknown) }
    return client
  }

  private func pushedRequest(_ uri: String, for client: ClientRecord) async throws(AuthorizeError) -> PushedRequest {
    let pushed: PushedRequest?
    do { pushed = try await self.pushedRequests.find(uri, for: client) } catch { throw .page(.storage(error)) }
    guard let pushed else { throw .page(.pushedRequestInvalid) }
    return pushed
  }

  /// Returns the parameters of the signed request object (RFC 9101 §6), or, without one, the unsigned parameters of the
  /// request itself.
  private func resolved(
    _ form: FormParameters, of client: ClientRecord, from address: ClientAddress
  ) async throws(AuthorizeError) -> (form: FormParameters, isSigned: Bool) {
    guard form["request"] != nil || form["request_uri"] != nil else { return (form, false) }
    // Do not fetch a request object if the `redirect_uri` parameter is invalid, because errors could not be returned to
    // the client.
    if form["request_uri"] != nil, form["redirect_uri"] != nil { _ = try self.redirect(form, of: client) }
    do throws(RequestObjectError) {
      if form["request"] != nil, form["request_uri"] != nil { throw RequestObjectError.twice }
      var object = form["request"] ?? ""
      if let uri = form["request_uri"] { object = try await self.objects.text(at: uri, of: client, for: address) }
      return (try await self.objects.parameters(of: object, signedBy: client, for: address), true)
    } catch {
      // If there is a registered redirect URI outside the request object, send the error to it.
      guard form["redirect_uri"] != nil else { throw .page(.requestObjectInvalid(error)) }
      let redirect = try self.redirect(form, of: client)
      throw redirect.error(error.code, error.redirectReason)
    }
  }

  private func redirect(_ form: FormParameters, of client: ClientRecord) throws(AuthorizeError) -> VerifiedRedirect {
    guard let requested = form["redirect_uri"] else { throw .page(.redirectURIMissing) }
    let redirect = try VerifiedRedirect.verify(
      client: client, requested: requested, state: form["state"], rules: self.redirectRules)
    return redirect.responding(by: form["response_mode"].flatMap(ResponseMode.init) ?? .query)
  }

  private func validate(
    _ form: FormParameters, of client: ClientRecord, _ protection: Protection, repeated: Set<String> = []
  ) async throws(AuthorizeError) -> ValidatedAuthorizationRequest {
    let redirect = try self.redirect(form, of: client)
    var ring: KeyRing?
    if let hint = form["id_token_hint"] {
      do { ring = try await IDTokenHint.keyRing(for: hint, in: self.cache) } catch { throw .page(.init(error)) }
    }
    do throws(InvalidRequest) {
      guard repeated.isEmpty else { throw InvalidRequest(.invalidRequest, .repeatedParameter) }
      try Self.checkProtection(protection, of: client)
      return try self.validate(form, redirect, ring)
    } catch {
      // A repeated `state` has no definite value, so the error response then contains none.
      throw (repeated.contains("state") ? redirect.withoutState() : redirect).error(error.code, error.reason)
    }
  }

  // MARK: Pure checks of the parameters

  private func validate(
    _ form: FormParameters, _ redirect: VerifiedRedirect, _ ring: KeyRing?
  ) throws(InvalidRequest) -> ValidatedAuthorizationRequest {
    try Self.checkResponseType(form, of: redirect.client)
    try Self.checkResponseMode(form, redirect)
    let client = redirect.client
    let (scope, requested) = try Self.scope(form, of: client)
    let claims = try self.claims(form, of: client)
    let parameters = AuthorizationParameters(
      scope: scope, requestedScope: requested == scope ? nil : requested,
      resources: try self.resources(form, of: client), challenge: try Self.challenge(form, of: client),
      jkt: try Self.jkt(form), nonce: form["nonce"], prompt: try self.prompt(form),
      maxAge: try Self.maxAge(form) ?? Self.defaultMaxAge(of: client), loginHint: form["login_hint"],
      subject: try self.subject(form, ring) ?? claims?.subject.map { AccountID(rawValue: $0) },
      claims: claims, contexts: self.contexts(form, of: client), essentialContexts: claims?.essentialContexts,
      // The URLs of the sign-in pages contain these parameters, so the language tags are cut off after 128 characters.
      uiLocales: form["ui_locales"].map { String($0.prefix(128)) })
    guard self.configuration.offers(self.configuration.requiredLevel(of: client, for: parameters.consentScope)) else {
      throw InvalidRequest(.unmetAuthenticationRequirements, .levelNotOffered)
    }
    return ValidatedAuthorizationRequest(redirect: redirect, parameters: parameters, form: form)
  }

  /// RFC 9126 §6 and RFC 9101 §10.5: checks that the request is pushed or signed if the client's registration requires
  /// it.
  private static func checkProtection(_ protection: Protection, of client: ClientRecord) throws(InvalidRequest) {
    if client.details.requiresPushedRequests == true, !protection.isPushed {
      throw InvalidRequest(.invalidRequest, .pushedRequired)
    }
    if client.details.requiresSignedRequest == true, !protection.isSigned {
      throw InvalidRequest(.invalidRequest, .signatureRequired)
    }
  }

  /// RFC 8252 §8.2: the implicit and hybrid flows are not supported. RFC 6749 §4.1.2.1: the client must be allowed to
  /// use the authorization code grant.
  private static func checkResponseType(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) {
    guard let type = form["response_type"] else { throw InvalidRequest(.invalidRequest, .responseTypeMissing) }
    guard type == "code" else { throw InvalidRequest(.unsupportedResponseType, .responseTypeNotCode) }
    guard client.grantTypes.contains(.authorizationCode) else { throw InvalidRequest(.unauthorizedClient, .grantTypeNotAllowed) }
  }

  /// A form can be posted to an `https` or loopback URI, but not to a private-use scheme.
  private static func checkResponseMode(_ form: FormParameters, _ redirect: VerifiedRedirect) throws(InvalidRequest) {
    guard let mode = form["response_mode"] else { return }
    guard let mode = ResponseMode(rawValue: mode), mode == .query || redirect.redirectURI.kind != .privateUse else {
      throw InvalidRequest(.invalidRequest, .responseModeNotSupported)
    }
  }

  /// RFC 7636 §4.4.1 and RFC 8252 §8.1: the PKCE challenge, which a client must send if its `requiresPKCE` is true.
  private static func challenge(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) -> CodeChallenge? {
    guard let value = form["code_challenge"] else {
      if client.requiresPKCE || form["code_challenge_method"] != nil { throw InvalidRequest(.invalidRequest, .challengeMissing) }
      return nil
    }
    do { return try CodeChallenge(value, method: form["code_challenge_method"]) } catch {
      throw InvalidRequest(.invalidRequest, error == .methodNotSupported ? .challengeMethod : .challengeMalformed)
    }
  }

  /// RFC 6749 §3.3: the requested scope, limited to the client's scope. Without the parameter, the client's scope
  /// except `offline_access`.
  private static func scope(
    _ form: FormParameters, of client: ClientRecord
  ) throws(InvalidRequest) -> (allowed: Scope, requested: Scope) {
    guard let text = form["scope"] else {
      let scope = client.scope.subtracting(.offlineAccess)
      return (scope, scope)
    }
    guard let requested = Scope(text) else { throw InvalidRequest(.invalidScope, .scopeMalformed) }
    let allowed = requested.intersection(client.scope)
    guard !allowed.isEmpty else { throw InvalidRequest(.invalidScope, .scopeNotAllowed) }
    return (allowed, requested)
  }

  /// RFC 8707 §2: the requested resources, which must be allowed for the client.
  private func resources(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) -> [String] {
    do throws(ResourceError) {
      return try ResourceIndicators.validate(form.values(of: "resource"), by: client, known: self.configuration.resources)
    } catch { throw InvalidRequest(.invalidTarget, .resourceInvalid) }
  }

  /// RFC 9449 §10: the SHA-256 thumbprint of the client's DPoP key.
  private static func jkt(_ form: FormParameters) throws(InvalidRequest) -> String? {
    guard let thumbprint = form["dpop_jkt"] else { return nil }
    guard Base64URL.decode(thumbprint)?.count == 32 else { throw InvalidRequest(.invalidRequest, .jktMalformed) }
    return thumbprint
  }

  /// Initiating User Registration via OpenID Connect §4.1: `create` is an error if the metadata does not list it.
  private func prompt(_ form: FormParameters) throws(InvalidRequest) -> Prompt {
    guard let text = form["prompt"] else { return [] }
    guard let prompt = Prompt(parsing: text) else { throw InvalidRequest(.invalidRequest, .promptMalformed) }
    guard !prompt.contains(.create) || self.configuration.offersSignUp else {
      throw InvalidRequest(.invalidRequest, .createNotOffered)
    }
    return prompt
  }

  /// The longest `max_age`, in seconds (68 years). No session is older, and arithmetic with the value cannot overflow.
  private static let longestMaxAge = Int64(Int32.max)

  /// Returns the `default_max_age` of a client, limited to the valid range, because an earlier version, or a program
  /// that uses the server as a library, may have stored any number.
  private static func defaultMaxAge(of client: ClientRecord) -> Int64? {
    client.details.defaultMaxAge.map { min(max($0, 0), self.longestMaxAge) }
  }

  private static func maxAge(_ form: FormParameters) throws(InvalidRequest) -> Int64? {
    guard let text = form["max_age"] else { return nil }
    // Accept digits only: `Int64` also parses a sign.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text), seconds <= self.longestMaxAge else {
      throw InvalidRequest(.invalidRequest, .maxAgeMalformed)
    }
    return seconds
  }

  /// OpenID Connect Core §5.5: the individually requested claims.
  private func claims(_ form: FormParameters, of client: ClientRecord) throws(InvalidRequest) -> RequestedClaims? {
    guard let text = form["claims"] else { return nil }
    guard let claims = RequestedClaims(text, of: client) else { throw InvalidRequest(.invalidRequest, .claimsMalformed) }
    try self.checkContext(claims)
    return claims
  }

  /// OpenID Connect Core §3.1.2.1: the requested `acr_values` that the server offers; nil if there are none. Without
  /// the parameter, the `default_acr_values` of the client's registration.
  private func contexts(_ form: FormParameters, of client: ClientRecord) -> [String]? {
    let requested = form["acr_values"]?.split(separator: " ").map(String.init)
    let values = requested ?? client.details.defaultACRValues ?? []
    guard !values.isEmpty else { return nil }
    let offered = self.configuration.authenticationContexts.filter(values.contains)
    return offered.isEmpty ? nil : offered
  }

  /// OpenID Connect Core §5.5.1.1: an essential `acr` that the server cannot satisfy is a failed authentication.
  private func checkContext(_ claims: RequestedClaims) throws(InvalidRequest) {
    guard let contexts = claims.essentialContexts else { return }
    guard contexts.contains(where: self.configuration.authenticationContexts.contains) else {
      throw InvalidRequest(.unmetAuthenticationRequirements, .acrNotOffered)
    }
  }

  /// OpenID Connect Core §3.1.2.1: `id_token_hint` must be an ID token of this server, but may have expired.
  private func subject(_ form: FormParameters, _ ring: KeyRing?) throws(InvalidRequest) -> AccountID? {
    guard let text = form["id_token_hint"], let ring else { return nil }
    guard let hint = IDTokenHint(text, ring: ring, issuer: self.configuration.issuer) else {
      throw InvalidRequest(.invalidRequest, .hintInvalid)
    }
    return hint.account
  }
}

/// An error in a request with a valid redirect URI.
private struct InvalidRequest: Error {
  let code: OAuthErrorCode
  let reason: AuthorizeError.RedirectReason

  init(_ code: OAuthErrorCode, _ reason: AuthorizeError.RedirectReason) {
    self.code = code
    self.reason = reason
  }
}
