package import SallyportProtocol

/// What a user has allowed one app to do: its grants, the consents that the server remembers, and the devices that the
/// user has approved.
package struct AppAccess: Sendable {
  package let client: ClientRecord
  /// The valid grants, oldest first. Even without one, a remembered consent or an approved device lets the app obtain a
  /// grant without asking the user again.
  package let grants: [GrantUse]
  package let consents: [ConsentRecord]
  /// The devices that the user has approved and that have not obtained their tokens yet.
  package let devices: [DeviceAuthorizationRecord]

  /// The scope of all grants, consents, and devices.
  package var scope: Scope {
    Scope(self.grants.map(\.grant.scope) + self.consents.map(\.scope) + self.devices.map(\.scope))
  }

  /// The resources of all grants, consents, and devices, sorted.
  package var resources: [String] {
    let resources = self.grants.flatMap(\.grant.resources) + self.consents.flatMap(\.resources)
    return Set(resources + self.devices.flatMap(\.resources)).sorted()
  }

  /// The time of the oldest grant, consent, or approval that is still valid; nil if there is none.
  package var since: Timestamp? {
    let grants = self.grants.map(\.grant.createdAt)
    return (grants + self.consents.map(\.givenAt) + self.devices.compactMap(\.decidedAt)).min()
  }

  /// When the app last obtained tokens; nil if it has no valid grant.
  package var lastUsedAt: Timestamp? { self.grants.map { $0.lastRefreshAt ?? $0.grant.createdAt }.max() }
}
