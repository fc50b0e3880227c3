import SallyportProtocol

/// Parses, validates, seals, and opens logout requests.
package struct LogoutRequests: Sendable {
  let cache: ConfigurationCache
  let issuer: Issuer
  let sealer: Sealer
  let lifetime: Duration
  let redirectRules: RedirectRules
  let now: TimeSource

  /// - Parameter encoded: The query of a GET request or the form of a POST request.
  package func parse(_ encoded: String) async throws(LogoutError) -> LogoutRequest {
    let form: FormParameters
    do { form = try FormParameters(parsing: encoded) } catch { throw .malformed }
    let hint = try await self.hint(form)
    let client = try await self.client(form, hint)
    var request = LogoutRequest(
      client: client, account: hint?.account, sessionID: hint?.sessionID,
      redirectURI: try self.redirectURI(form["post_logout_redirect_uri"], of: client),
      state: form["state"])
    request.uiLocales = form["ui_locales"].map { String($0.prefix(128)) }
    return request
  }

  private func hint(_ form: FormParameters) async throws(LogoutError) -> IDTokenHint? {
    guard let text = form["id_token_hint"] else { return nil }
    let ring: KeyRing
    do { ring = try await IDTokenHint.keyRing(for: text, in: self.cache) } catch { throw LogoutError(error) }
    guard let hint = IDTokenHint(text, ring: ring, issuer: self.issuer) else { throw .hintInvalid }
    return hint
  }

  /// RP-Initiated Logout §2: `client_id` and the client of the ID token hint must be the same.
  private func client(_ form: FormParameters, _ hint: IDTokenHint?) async throws(LogoutError) -> ClientRecord? {
    let requestedID = form["client_id"].map { ClientID(rawValue: $0) }
    if let requestedID, let hint, hint.client != requestedID { throw .hintInvalid }
    guard let id = requestedID ?? hint?.client else { return nil }
    let client: ClientRecord?
    do { client = try await self.cache.client(id) } catch { throw .storage(error) }
    guard let client else { throw .clientUnknown }
    return client
  }

  /// Returns the redirect URI, which must match a registered one by the same rules as in an authorization request.
  ///
  /// RP-Initiated Logout §3 requires an exact match. A native app that uses a loopback redirect URI for the sign-in
  /// also uses one for the sign-out, so the exceptions for the port apply here as well (RFC 8252 §7.3). A redirect
  /// after a sign-out contains no credentials, so a match with any port reveals nothing to other programs on the user's
  /// computer.
  private func redirectURI(_ text: String?, of client: ClientRecord?) throws(LogoutError) -> RedirectURI? {
    guard let text else { return nil }
    guard let client else { throw .clientMissing }
    let registered = (client.details.postLogoutRedirectURIs ?? []).compactMap {
      try? RedirectURI($0, schemes: self.redirectRules.schemes)
    }
    guard let uri = try? RedirectURI(text, schemes: self.redirectRules.schemes),
      registered.contains(where: { self.redirectRules.matches($0, uri, of: client) })
    else {
      throw .redirectURINotRegistered
    }
    return uri
  }

  // MARK: Sealing for the confirmation page

  private struct SealedRequest: Codable {
    var client: String?
    var account: String?
    var session: String?
    var redirectURI: String?
    var state: String?
    var uiLocales: String?
    var expiresAt: Timestamp
  }

  private static var context: String { "sign-out" }

  package func seal(_ request: LogoutRequest) throws(LogoutError) -> String {
    let value = SealedRequest(
      client: request.client?.id.rawValue, account: request.account?.rawValue, session: request.sessionID,
      redirectURI: request.redirectURI?.value,
      state: request.state, uiLocales: request.uiLocales, expiresAt: self.now() + self.lifetime)
    guard let sealed = self.sealer.sealJSON(value, context: Self.context) else { throw .malformed }
    return sealed
  }

  /// Opens a sealed request from the confirmation page. Checks the client and the redirect URI again.
  package func open(_ text: String) async throws(LogoutError) -> LogoutRequest {
    guard let value = self.sealer.openJSON(text, as: SealedRequest.self, context: Self.context) else { throw .malformed }
    guard self.now() < value.expiresAt else { throw .expired }
    var client: ClientRecord?
    if let id = value.client {
      do { client = try await self.cache.client(ClientID(rawValue: id)) } catch { throw .storage(error) }
      guard client != nil else { throw .clientUnknown }
    }
    var request = LogoutRequest(
      client: client, account: value.account.map { AccountID(rawValue: $0) }, sessionID: value.session,
      redirectURI: try self.redirectURI(value.redirectURI, of: client), state: value.state)
    request.uiLocales = value.uiLocales
    return request
  }
}
