import SallyportProtocol
import Testing

struct TimestampTests {
  @Test("Times and durations add up in milliseconds")
  func arithmetic() {
    let time = Timestamp(seconds: 100)
    #expect((time + .milliseconds(1500)).milliseconds == 101_500)
    #expect((time - .seconds(1)).seconds == 99)
    #expect(time + .seconds(60) - time == .seconds(60))
    #expect(time < time + .milliseconds(1))
  }

  @Test("A lifetime of any length, as a server may send it, does not overflow")
  func saturation() {
    let time = Timestamp(seconds: 1_800_000_000)
    let (farPast, farFuture) = (Timestamp(seconds: -1_000_000_000_000_000), Timestamp(seconds: 1_000_000_000_000_000))
    #expect(time + .seconds(Int64.max) == Timestamp(milliseconds: .max))
    #expect(time - .seconds(Int64.max) < farPast)
    #expect(time + .seconds(Int64.min) < farPast)
    #expect(Timestamp(milliseconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
    #expect(Timestamp(seconds: .max) > farFuture)
    #expect(Timestamp(seconds: .min) < farPast)
    #expect(Timestamp(milliseconds: .max) - Timestamp(milliseconds: .min) > .seconds(0))
  }
}
