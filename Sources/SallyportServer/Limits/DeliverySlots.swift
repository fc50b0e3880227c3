import SallyportProtocol

/// The slots for concurrent logout deliveries. They are limited per client, so that a client that does not respond
/// cannot delay deliveries to other clients.
///
/// Half of the slots are reserved for operators' clients, because anyone can register clients that do not respond. All
/// other clients are called dynamic here.
struct DeliverySlots: Sendable {
  private static let perClient = 2

  private var all = Slots(16)
  /// The slots that dynamic clients may use.
  private var dynamicClients = Slots(8)
  /// The slots of each client that uses some.
  private var clients: [ClientID: Slots] = [:]

  /// The clients that use their maximum number of slots.
  var busy: [ClientID] { self.clients.filter { !$0.value.isFree }.map(\.key) }

  /// Whether a delivery to a client that is not ``busy`` can start.
  /// - Parameter forDynamic: Whether the delivery is to a client that no operator registered.
  func isFree(forDynamic: Bool) -> Bool {
    self.all.isFree && (!forDynamic || self.dynamicClients.isFree)
  }

  /// Takes a slot. Call this only if ``isFree(forDynamic:)`` is true and the client is not ``busy``.
  mutating func acquire(_ client: ClientID, isDynamic: Bool) {
    _ = self.all.take()
    if isDynamic { _ = self.dynamicClients.take() }
    _ = self.clients[client, default: Slots(Self.perClient)].take()
  }

  mutating func release(_ client: ClientID, isDynamic: Bool) {
    self.all.release()
    if isDynamic { self.dynamicClients.release() }
    self.clients[client]?.release()
    if self.clients[client]?.taken == 0 { self.clients[client] = nil }
  }
}
