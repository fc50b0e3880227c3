import SallyportProtocol

/// An operation with a quota per minute. All callers of the operation share the quota.
struct LimitedOperation: Hashable, Sendable {
  private let name: String

  private init(_ name: String) {
    self.name = name
  }

  static let registrations = LimitedOperation("registrations")
  static let upstreamSignIn = LimitedOperation("upstream sign-ins")

  // All clients that no operator registered share these two operations. If each of these clients had only a quota of
  // its own, an address could get more shares by registering more clients.
  static let pushedRequestsOfUnverifiedClients = LimitedOperation("pushed requests")
  static let deviceCodesOfUnverifiedClients = LimitedOperation("devices")

  static func pushedRequests(of client: ClientID) -> LimitedOperation { Self("pushed request\n\(client.rawValue)") }

  static func deviceCodes(of client: ClientID) -> LimitedOperation { Self("device\n\(client.rawValue)") }

  static func requestObjects(of client: ClientID) -> LimitedOperation { Self("request object\n\(client.rawValue)") }

  static func registrationUpdates(of client: ClientID) -> LimitedOperation { Self("registration update\n\(client.rawValue)") }

  /// Returns a limit on the uses per minute by all callers together.
  func limit(_ maximum: Int) -> StoredLimit {
    StoredLimit("quota\n\(self.name)", maximum, in: SharedQuota.window)
  }
}
