import SallyportProtocol

/// A resource that callers share, with a quota per minute.
struct LimitedResource: Hashable, Sendable {
  private let name: String

  private init(_ name: String) {
    self.name = name
  }

  static let registrations = LimitedResource("registrations")

  /// Shared by all clients that no operator added, so that registering more clients does not increase the quota of an
  /// address.
  static let pushedRequestsWithoutOperator = LimitedResource("pushed requests")
  static let deviceCodesWithoutOperator = LimitedResource("devices")

  static func pushedRequests(of client: ClientID) -> LimitedResource { Self("pushed request\n\(client.rawValue)") }

  static func deviceCodes(of client: ClientID) -> LimitedResource { Self("device\n\(client.rawValue)") }

  static func requestObjects(of client: ClientID) -> LimitedResource { Self("request object\n\(client.rawValue)") }

  static func registrationUpdates(of client: ClientID) -> LimitedResource { Self("registration update\n\(client.rawValue)") }

  /// Returns a limit on the uses per minute by all callers together.
  func limit(_ maximum: Int) -> StoredLimit {
    StoredLimit("quota\n\(self.name)", maximum, in: SharedQuota.window)
  }
}
