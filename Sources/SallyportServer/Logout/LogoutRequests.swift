package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A checked request to sign somebody out, OpenID Connect RP-Initiated Logout §2. Only ``LogoutRequests`` makes one.
package struct LogoutRequest: Sendable {
  /// Who asks, where it is known.
  package let client: ClientRecord?
  /// Whom the client means.
  package let account: AccountID?
  /// Where the person goes afterwards: a registered address of ``client``.
  package let redirectURI: RedirectURI?
  package let state: String?

  init(client: ClientRecord?, account: AccountID?, redirectURI: RedirectURI?, state: String?) {
    self.client = client
    self.account = account
    self.redirectURI = redirectURI
    self.state = state
  }

  /// The person's own wish, at no app's request.
  package init() {
    self.init(client: nil, account: nil, redirectURI: nil, state: nil)
  }

  /// Where the browser is sent in the end.
  package var location: String? {
    self.redirectURI.map { uri in self.state.map { uri.appending([("state", $0)]) } ?? uri.value }
  }

  var auditReason: AuditReason {
    if self.account != nil { .hint } else if self.client != nil { .app } else { .person }
  }

  /// Whether an operator vouched for where the person goes, so that a browser may be sent there unasked (rule S-31).
  package var isVouchedFor: Bool { self.client?.origin == .operator }
}

/// Why a request to sign out is not followed. The person sees a page, and is sent nowhere.
package enum LogoutError: Error, Equatable, Sendable {
  case malformed
  /// `id_token_hint` is not an ID token of this server, or another client's than `client_id` says.
  case hintInvalid
  case clientUnknown
  /// A `post_logout_redirect_uri` of nobody: without a client nothing can be registered.
  case clientMissing
  case redirectURINotRegistered
  case expired
  case storage(StoreError)
}

/// Reads, checks, seals and opens requests to sign out.
package struct LogoutRequests<S: Store>: Sendable {
  let cache: ConfigurationCache<S>
  let issuer: Issuer
  let sealer: Sealer
  let lifetime: Duration
  let now: TimeSource

  /// - Parameter encoded: the query of a GET or the form of a POST.
  package func parse(_ encoded: String) async throws(LogoutError) -> LogoutRequest {
    let form: FormParameters
    do { form = try FormParameters(parsing: encoded) } catch { throw .malformed }
    let hint = try await self.hint(form)
    let client = try await self.client(form, hint)
    return LogoutRequest(
      client: client, account: hint?.account, redirectURI: try Self.redirectURI(form["post_logout_redirect_uri"], of: client),
      state: form["state"])
  }

  private func hint(_ form: FormParameters) async throws(LogoutError) -> IDTokenHint? {
    guard let text = form["id_token_hint"] else { return nil }
    let ring: KeyRing
    do { ring = try await self.cache.keyRing() } catch { throw .storage(.refused) }
    guard let hint = IDTokenHint(text, ring: ring, issuer: self.issuer) else { throw .hintInvalid }
    return hint
  }

  /// RP-Initiated Logout §2: the two ways in which a client can be named agree.
  private func client(_ form: FormParameters, _ hint: IDTokenHint?) async throws(LogoutError) -> ClientRecord? {
    let named = form["client_id"].map { ClientID(rawValue: $0) }
    if let named, let hint, hint.client != named { throw .hintInvalid }
    guard let id = named ?? hint?.client else { return nil }
    let client: ClientRecord?
    do { client = try await self.cache.client(id) } catch { throw .storage(error) }
    guard let client else { throw .clientUnknown }
    return client
  }

  /// RP-Initiated Logout §3: registered, and the same; on loopback with any port, as for answers (RFC 8252 §7.3).
  static func redirectURI(_ text: String?, of client: ClientRecord?) throws(LogoutError) -> RedirectURI? {
    guard let text else { return nil }
    guard let client else { throw .clientMissing }
    let registered = (client.details.postLogoutRedirectURIs ?? []).compactMap { try? RedirectURI($0) }
    guard let uri = try? RedirectURI(text), registered.contains(where: { $0.matches(requested: uri) }) else {
      throw .redirectURINotRegistered
    }
    return uri
  }

  // MARK: On its way through the confirmation page

  private struct Sealed: Codable {
    var client: String?
    var account: String?
    var redirectURI: String?
    var state: String?
    var expiresAt: Timestamp
  }

  private static var context: String { "sign-out" }

  package func seal(_ request: LogoutRequest) throws(LogoutError) -> String {
    let value = Sealed(
      client: request.client?.id.rawValue, account: request.account?.rawValue, redirectURI: request.redirectURI?.value,
      state: request.state, expiresAt: self.now() + self.lifetime)
    guard let json = try? JSONEncoder().encode(value), let sealed = try? self.sealer.seal(json, context: Self.context) else {
      throw .malformed
    }
    return Base64URL.encode(sealed)
  }

  /// Opens what the form brought back, and checks client and address anew.
  package func open(_ text: String) async throws(LogoutError) -> LogoutRequest {
    guard let sealed = Base64URL.decode(text), let json = try? self.sealer.open(sealed, context: Self.context),
      let value = try? JSONDecoder().decode(Sealed.self, from: Data(json))
    else { throw .malformed }
    guard self.now() < value.expiresAt else { throw .expired }
    var client: ClientRecord?
    if let id = value.client {
      do { client = try await self.cache.client(ClientID(rawValue: id)) } catch { throw .storage(error) }
      guard client != nil else { throw .clientUnknown }
    }
    return LogoutRequest(
      client: client, account: value.account.map { AccountID(rawValue: $0) },
      redirectURI: try Self.redirectURI(value.redirectURI, of: client), state: value.state)
  }
}
