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
