import SallyportProtocol

/// The slots for concurrent logout deliveries. They are limited per client, so that a client that does not respond
/// cannot delay deliveries to other clients.
///
/// Half of the slots are reserved for operators' clients, because anyone can register clients that do not respond. All
/// other clients are called dynamic here.
struct DeliverySlots: Sendable {
  private static let count = 16
  private static let dynamicCount = 8
  private static let perClient = 2

  /// The number of slots that dynamic clients use.
  private var dynamicClients = 0
  /// The number of slots that each client uses.
  private var running: [ClientID: Int] = [:]
  /// The number of slots that all clients use.
  private var taken = 0

  /// The clients that use their maximum number of slots.
  var busy: [ClientID] { self.running.filter { $0.value >= Self.perClient }.map(\.key) }

  /// Whether a delivery can start.
  /// - Parameter forDynamic: Whether the delivery is to a client that no operator registered.
  func isFree(forDynamic: Bool) -> Bool {
    self.taken < Self.count && (!forDynamic || self.dynamicClients < Self.dynamicCount)
  }

  mutating func acquire(_ client: ClientID, isDynamic: Bool) {
    self.taken += 1
    self.dynamicClients += isDynamic ? 1 : 0
    self.running[client, default: 0] += 1
  }

  mutating func release(_ client: ClientID, isDynamic: Bool) {
    self.taken -= 1
    self.dynamicClients -= isDynamic ? 1 : 0
    self.running[client] = self.running[client].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
