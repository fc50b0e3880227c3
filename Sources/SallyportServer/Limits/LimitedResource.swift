import SallyportProtocol

/// Something that callers share and that has a quota for each minute.
struct LimitedResource: Hashable, Sendable {
  private let name: String

  private init(_ name: String) {
    self.name = name
  }

  static let registrations = LimitedResource("registrations")

  /// What the clients that no operator added use together, so that an address cannot get more by registering more clients.
  static let pushedRequestsWithoutOperator = LimitedResource("pushed requests")
  static let deviceCodesWithoutOperator = LimitedResource("devices")

  static func pushedRequests(of client: ClientID) -> LimitedResource { Self("pushed request\n\(client.rawValue)") }

  static func deviceCodes(of client: ClientID) -> LimitedResource { Self("device\n\(client.rawValue)") }

  static func requestObjects(of client: ClientID) -> LimitedResource { Self("request object\n\(client.rawValue)") }

  static func registrationUpdates(of client: ClientID) -> LimitedResource { Self("registration update\n\(client.rawValue)") }

  /// The key that the store counts it under.
  var mark: Fingerprint { Fingerprint(of: Secret("quota\n\(self.name)")) }
}
