import SallyportProtocol

/// Who is being told at the moment, so that nobody who does not answer keeps the others waiting.
///
/// Half of the places are for clients of operators alone: anybody can register clients that hang.
struct DeliveryPlaces: Sendable {
  private static let count = 16
  private static let strangersCount = 8
  private static let perClient = 2

  private var strangers = 0
  private var running: [ClientID: Int] = [:]
  private var taken = 0

  /// Clients that have as many places as one can have.
  var busy: [ClientID] { self.running.filter { $0.value >= Self.perClient }.map(\.key) }

  func isFree(forStrangers: Bool) -> Bool {
    self.taken < Self.count && (!forStrangers || self.strangers < Self.strangersCount)
  }

  mutating func take(_ client: ClientID, isStranger: Bool) {
    self.taken += 1
    self.strangers += isStranger ? 1 : 0
    self.running[client, default: 0] += 1
  }

  mutating func leave(_ client: ClientID, isStranger: Bool) {
    self.taken -= 1
    self.strangers -= isStranger ? 1 : 0
    self.running[client] = self.running[client].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
