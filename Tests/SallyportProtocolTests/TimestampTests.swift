import SallyportProtocol
import Testing

struct TimestampTests {
  @Test("times and durations are added in milliseconds")
  func arithmetic() {
    let time = Timestamp(seconds: 100)
    #expect((time + .milliseconds(1500)).milliseconds == 101_500)
    #expect((time - .seconds(1)).seconds == 99)
    #expect(time + .seconds(60) - time == .seconds(60))
    #expect(time < time + .milliseconds(1))
  }

  @Test("times and durations of any size do not overflow, so a server can send a lifetime of any length")
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
    let (longest, shortest) = (Duration.seconds(Int64.max) + .seconds(60), Duration.seconds(Int64.min) - .seconds(60))
    #expect(longest.milliseconds == .max && shortest.milliseconds == .min)
    #expect(time + longest == Timestamp(milliseconds: .max) && time + shortest < farPast)
  }

  @Test(
    "if the number in a claim is out of range, it becomes the earliest or the latest time",
    arguments: [
      (0, 0), (1.5, 1_500), (-1.5, -1_500), (1e308, .max), (-1e308, .min), (9.3e15, .max), (.infinity, .max), (-.infinity, .min),
      (.nan, .max),
    ] as [(Double, Int64)])
  func claim(seconds: Double, milliseconds: Int64) {
    #expect(Timestamp(claim: seconds).milliseconds == milliseconds)
  }
}
