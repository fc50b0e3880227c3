#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// Records in the store which issuer each redirect URI belongs to (RFC 8252 §8.10), for all runs of an app.
///
/// Using one redirect URI with two authorization servers enables mix-up attacks, so a sign-in at the second server is
/// rejected. A reservation is valid while a sign-in with the redirect URI is in progress, or a session from such a
/// sign-in exists. It needs no explicit release, so a process that crashes cannot block a redirect URI permanently.
struct RedirectReservations: Sendable {
  let store: any TokenStore
  let now: TimeSource

  /// Reserves the redirect URI of a sign-in for its issuer. After the sign-in, the stored session keeps the
  /// reservation.
  ///
  /// If the process crashes during the sign-in, the reservation expires two minutes after the sign-in itself would have
  /// expired.
  /// - Throws: ``SignInError/redirectURIBelongsTo(issuer:)``, or the store's error.
  func reserve(for pending: PendingSignIn) async throws {
    let key = Self.key(pending.redirectURI)
    let otherIssuer = try await self.store.withLease(on: key) { () -> String? in
      let issuer = pending.issuer.value
      var reservation = try await self.load(key) ?? Reservation(issuer: issuer)
      if reservation.issuer != issuer {
        if try await self.isInUse(reservation) { return reservation.issuer }
        reservation = Reservation(issuer: issuer)
      }
      reservation.sessions.insert(pending.session)
      reservation.pending = reservation.pending.filter { self.now().milliseconds < $0.value }
      // Leave time for the code exchange after the response.
      reservation.pending[pending.id] = (pending.expiresAt + .seconds(120)).milliseconds
      try await self.save(reservation, key)
      return nil
    }
    if let otherIssuer { throw SignInError.redirectURIBelongsTo(issuer: otherIssuer) }
  }

  /// Ends the reservation of a sign-in in progress. Errors are ignored: the reservation expires by itself, and the app
  /// must see the sign-in's own error.
  func end(_ pending: PendingSignIn) async {
    let key = Self.key(pending.redirectURI)
    // Runs in a separate task, because the sign-in's task may be canceled.
    await Task {
      try? await self.store.withLease(on: key) {
        guard var reservation = try await self.load(key), reservation.pending.removeValue(forKey: pending.id) != nil
        else { return }
        try await self.save(reservation, key)
      }
    }.value
  }

  private struct Reservation: Codable {
    var version = 1
    var issuer: String
    /// The sessions of the sign-ins with this redirect URI, including sign-ins that have not succeeded.
    var sessions: Set<StoredSession> = []
    /// The sign-ins in progress, each with the time when its reservation expires (in milliseconds since 1970).
    var pending: [String: Int64] = [:]

    init(issuer: String) {
      self.issuer = issuer
    }
  }

  private func isInUse(_ reservation: Reservation) async throws(TokenStoreError) -> Bool {
    let now = self.now().milliseconds
    if reservation.pending.values.contains(where: { now < $0 }) { return true }
    for session in reservation.sessions {
      if try await self.store.loadUndamaged(session.key) != nil { return true }
    }
    return false
  }

  /// Loads a reservation. An unreadable reservation counts as missing, because the user could not remove it.
  private func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Reservation? {
    guard let stored = try await self.store.loadUndamaged(key),
      let reservation = try? JSONDecoder().decode(Reservation.self, from: Data(stored.reveal())), reservation.version == 1
    else { return nil }
    return reservation
  }

  private func save(_ reservation: Reservation, _ key: TokenStoreKey) async throws {
    try await self.store.save(Secret(Array(try JSONEncoder().encode(reservation))), for: key)
  }

  /// The store key of a reservation. Loopback URIs that differ only in address or port share one key: the port changes
  /// from sign-in to sign-in, so only the path and query can distinguish the servers.
  private static func key(_ redirectURI: RedirectURI) -> TokenStoreKey {
    let text =
      switch redirectURI.kind {
      case .loopback: "loopback:\(redirectURI.components.path)?\(redirectURI.components.query ?? "")"
      case .https, .privateUse: redirectURI.value
      }
    return TokenStoreKey(kind: "redirect \(text)", issuer: "", clientID: "")
  }
}
