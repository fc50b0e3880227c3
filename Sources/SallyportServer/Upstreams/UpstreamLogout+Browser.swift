import SallyportProtocol
import SallyportRemote

extension UpstreamLogout {
  /// Where a user can sign out of an upstream.
  package struct Destination: Sendable, Equatable {
    /// The name of the upstream.
    package let name: String
    /// The logout request (OpenID Connect RP-Initiated Logout §2).
    package let url: String
  }

  /// Returns where the user can sign out of the upstream through which one of these ended sessions began; nil if no
  /// session began through an enabled upstream whose cached metadata has an `end_session_endpoint`.
  ///
  /// The request has no `id_token_hint`, because this server does not keep ID tokens. The function never waits for a
  /// provider: it uses metadata that was fetched before.
  package func destination(after sessions: [BrowserSessionRecord]) async -> Destination? {
    let upstreamSessions = sessions.compactMap(\.upstream)
    guard !upstreamSessions.isEmpty, let records = try? await self.cache.upstreams() else { return nil }
    let upstreams = records.filter { $0.disabledAt == nil }.compactMap { Upstream($0, of: self.issuer) }
    for session in upstreamSessions {
      for upstream in upstreams {
        guard let metadata = self.providers.cachedMetadata(of: upstream), metadata.accepts(issuer: session.issuer),
          let endpoint = metadata.endSessionEndpoint
        else { continue }
        var parameters = [(name: "client_id", value: upstream.record.clientID)]
        if let sessionID = session.sessionID { parameters.append((name: "logout_hint", value: sessionID)) }
        return Destination(name: upstream.name, url: endpoint.appending(query: parameters))
      }
    }
    return nil
  }
}
