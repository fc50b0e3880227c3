/// Why a logout request is rejected. The user sees an error page and is not redirected.
package enum LogoutError: Error, Equatable, Sendable {
  /// The request, or the sealed request of the confirmation page, is malformed, or the request cannot be sealed.
  case malformed
  /// The `id_token_hint` is not an ID token of this server, or belongs to a client other than `client_id`.
  case hintInvalid
  case clientUnknown
  /// There is a `post_logout_redirect_uri` without a client, so it cannot be checked against a registration.
  case clientMissing
  case redirectURINotRegistered
  /// The sealed logout request has expired.
  case expired
  /// The signing keys, which are needed to verify an `id_token_hint`, cannot be used.
  case keys(KeyRingError)
  case storage(StoreError)

  init(_ error: KeyRingError) {
    if case .storage(let error) = error { self = .storage(error) } else { self = .keys(error) }
  }
}
