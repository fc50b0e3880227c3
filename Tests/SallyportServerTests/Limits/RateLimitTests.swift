import SallyportProtocol
import Testing

@testable import SallyportServer

@Suite("Rate limits and slots")
struct RateLimitTests {
  /// Six events at once, and then one per minute. Six minutes pass until a full counter is empty.
  private let limit = RateLimit(6, thenOneEach: .seconds(60))
  private let now = Timestamp(milliseconds: 1_800_000_000_000)

  // `end` is the number of seconds until the counter is empty, and `expected` is the wait in seconds.
  @Test(
    "a counter allows its burst, and then one event per interval; if the clock was set back, the wait is that of a full counter",
    arguments: [(-100, nil), (0, nil), (299, nil), (300, nil), (301, 1), (360, 60), (361, 60), (86_400, 60)] as [(Int, Int?)])
  func wait(end: Int, expected: Int?) {
    #expect(self.limit.wait(until: self.now + .seconds(end), at: self.now) == expected.map { Duration.seconds($0) })
  }

  @Test("no more slots are taken than exist, and a released slot can be taken again")
  func slots() {
    var slots = Slots(2)
    let isTaken = [slots.take(), slots.take(), slots.take()]
    #expect(isTaken == [true, true, false] && slots.taken == 2 && !slots.isFree)
    slots.release()
    #expect(slots.isFree)
    let isTakenAgain = slots.take()
    #expect(isTakenAgain)
  }

  @Test("a client takes at most two slots, and dynamic clients at most half of the slots; released slots can be taken again")
  func deliverySlots() {
    // There are 16 slots.
    var slots = DeliverySlots()
    let (dynamic, registered) = (ClientID(rawValue: "dynamic"), ClientID(rawValue: "registered"))
    for _ in 0..<2 { slots.acquire(dynamic, isDynamic: true) }
    #expect(slots.busy == [dynamic])
    for index in 0..<6 { slots.acquire(ClientID(rawValue: "dynamic-\(index)"), isDynamic: true) }
    #expect(!slots.isFree(forDynamic: true) && slots.isFree(forDynamic: false))
    for _ in 0..<2 { slots.acquire(registered, isDynamic: false) }
    #expect(Set(slots.busy) == [dynamic, registered])
    for index in 0..<6 { slots.acquire(ClientID(rawValue: "registered-\(index)"), isDynamic: false) }
    #expect(!slots.isFree(forDynamic: false))
    slots.release(dynamic, isDynamic: true)
    #expect(slots.busy == [registered] && slots.isFree(forDynamic: true) && slots.isFree(forDynamic: false))
  }
}
