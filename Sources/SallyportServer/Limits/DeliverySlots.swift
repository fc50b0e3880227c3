import SallyportProtocol

/// The slots for concurrent logout deliveries. They are limited per client, so that a client that does not respond
/// cannot delay deliveries to other clients.
///
/// Half of the slots are reserved for operators' clients, because anyone can register clients that do not respond. All
/// other clients are called dynamic here.
struct DeliverySlots: Sendable {
  private static let count = 16
  private static let dynamicCount = 8
  private static let maximumPerClient = 2

  /// The number of slots that dynamic clients use.
  private var dynamicSlots = 0
  /// The number of slots that each client uses.
  private var slotsPerClient: [ClientID: Int] = [:]
  /// The number of slots that all clients use.
  private var takenSlots = 0

  /// The clients that use their maximum number of slots.
  var busy: [ClientID] { self.slotsPerClient.filter { $0.value >= Self.maximumPerClient }.map(\.key) }

  /// Whether a delivery can start.
  /// - Parameter forDynamic: Whether the delivery is to a client that no operator registered.
  func isFree(forDynamic: Bool) -> Bool {
    self.takenSlots < Self.count && (!forDynamic || self.dynamicSlots < Self.dynamicCount)
  }

  mutating func acquire(_ client: ClientID, isDynamic: Bool) {
    self.takenSlots += 1
    self.dynamicSlots += isDynamic ? 1 : 0
    self.slotsPerClient[client, default: 0] += 1
  }

  mutating func release(_ client: ClientID, isDynamic: Bool) {
    self.takenSlots -= 1
    self.dynamicSlots -= isDynamic ? 1 : 0
    self.slotsPerClient[client] = self.slotsPerClient[client].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
