import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The authorization requests that this server has sent to upstreams (the OpenID providers through which users sign in)
/// and that wait for a response. A response is accepted once, within ``lifetime``, and only in the browser in which the
/// sign-in began.
struct UpstreamRequests: Sendable {
  let store: any Store
  let secrets: UpstreamSecrets
  let quota: SharedQuota
  let now: TimeSource
  /// The maximum number of requests per minute from all addresses together, which limits the size of the table. It is
  /// much higher than the shared quotas of other operations: users without a password can sign in only through their
  /// upstream, so a few addresses must not be able to use up the limit.
  var maximumPerMinute = 20_000

  /// How long the user may take to sign in at the provider.
  static var lifetime: Duration { .seconds(600) }
  /// The maximum size of a `state` in a response, in bytes.
  private static var maximumState: Int { 64 }

  /// What the server must know when the response arrives.
  struct Content: Codable, Sendable {
    let upstream: String
    /// The issuer at the time of the request. An operator may change the upstream's issuer before the response arrives.
    let issuer: String
    let nonce: String
    let codeVerifier: String
    /// The fingerprint of the browser's cookie, in base64url.
    let browser: String
    let purpose: UpstreamPurpose
    let startedAt: Timestamp
    /// Whether the `auth_time` of the ID token must be at or after ``startedAt`` or, with a ``maxAge``, at most
    /// `maxAge` seconds before it.
    let needsNewAuthentication: Bool
    /// The `max_age` of the app's request, in seconds; nil if the request has no `max_age`, or has `prompt=login`.
    let maxAge: Int64?
    /// Whether this server's session must be newer than the request (``UpstreamHints/needsNewSession``).
    let needsNewSession: Bool
    /// Like ``needsNewSession``, but for a sign-in with a code of this server
    /// (``UpstreamHints/needsNewSessionWithCode``). Nil if an earlier version of the server stored the request.
    /// ``needsNewSession`` then applies instead.
    let needsNewSessionWithCode: Bool?
  }

  /// Stores a request.
  /// - Parameter address: The client address of the browser, whose number of requests is limited.
  /// - Returns: The `state`; nil if there are too many requests.
  func insert(_ content: Content, from address: ClientAddress) async throws(StoreError) -> Secret<String>? {
    // The quota limits only the requests of one address here. All addresses together may send `maximumPerMinute`.
    guard self.quota.admit(.anonymous(address), to: .upstreamSignIn) != nil else { return nil }
    let state = Secret(RandomText.base64URL(bits: 256))
    let fingerprint = Fingerprint(of: state)
    guard let json = try? JSONEncoder().encode(content), let sealed = try? self.secrets.seal(Array(json), state: fingerprint)
    else { throw .unavailable(reason: "the request to an upstream cannot be encrypted") }
    let record = UpstreamRequestRecord(
      fingerprint: fingerprint, sealedContent: sealed, expiresAt: content.startedAt + Self.lifetime)
    let (now, totalLimit) = (self.now(), LimitedOperation.upstreamSignIn.limit(self.maximumPerMinute))
    let isStored = try await self.store.write { (tx) throws(StoreError) in
      guard try totalLimit.countUnlessReached(in: &tx, at: now) else { return false }
      try tx.insert(record)
      return true
    }
    return isStored ? state : nil
  }

  /// Finds and consumes the request to which a response belongs.
  /// - Parameters:
  ///   - state: The `state` of the response.
  ///   - upstream: The identifier of the upstream whose redirect URI received the response.
  ///   - browserCookie: The value of the cookie that was set when the sign-in began; nil if the browser sent none.
  /// - Returns: Nil if there is no such request, it has expired or was consumed, or it belongs to another upstream or
  ///   browser. A request of another upstream or browser is not consumed.
  func consume(
    state: String?, upstream: String, browserCookie: String?
  ) async throws(StoreError) -> Content? {
    guard let state, state.utf8.count <= Self.maximumState, let browserCookie else { return nil }
    let (fingerprint, now) = (Fingerprint(of: Secret(state)), self.now())
    guard let record = try await self.store.read({ (tx) throws(StoreError) in try tx.upstreamRequest(fingerprint) }),
      now < record.expiresAt, let json = try? self.secrets.open(record),
      let content = try? JSONDecoder().decode(Content.self, from: Data(json)), content.upstream == upstream,
      constantTimeEqual(content.browser.utf8, Self.fingerprint(ofBrowser: browserCookie).utf8)
    else { return nil }
    let isFirst = try await self.store.write { (tx) throws(StoreError) in
      try tx.consumeUpstreamRequest(fingerprint, at: now)
    }
    return isFirst ? content : nil
  }

  /// Returns the fingerprint of a browser's cookie, in base64url.
  static func fingerprint(ofBrowser cookie: String) -> String {
    Base64URL.encode(Fingerprint(of: Secret(cookie)).bytes)
  }
}
