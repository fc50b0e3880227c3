package import SallyportProtocol

/// What a user has allowed one app to do: its grants, and the consents that the server remembers.
package struct AppAccess: Sendable {
  package let client: ClientRecord
  /// The valid grants, oldest first. Empty if only a consent is remembered, with which the app can obtain a grant
  /// without asking again.
  package let grants: [GrantUse]
  package let consents: [ConsentRecord]

  /// The scope of all grants and consents.
  package var scope: Scope { Scope(self.grants.map(\.grant.scope) + self.consents.map(\.scope)) }

  /// The resources of all grants and consents, sorted.
  package var resources: [String] {
    Set(self.grants.flatMap(\.grant.resources) + self.consents.flatMap(\.resources)).sorted()
  }

  /// The time of the oldest grant or consent that is still valid.
  package var since: Timestamp? { (self.grants.map(\.grant.createdAt) + self.consents.map(\.givenAt)).min() }

  /// When the app last obtained tokens; nil if it has no valid grant.
  package var lastUsedAt: Timestamp? { self.grants.map { $0.lastRefreshAt ?? $0.grant.createdAt }.max() }
}
