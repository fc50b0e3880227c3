import Testing

@testable import SallyportCommand

@Suite("Durations in messages")
struct DurationTests {
  @Test(
    "a duration of two minutes or more has no seconds; one of two hours or more is in hours or days, with the next smaller unit",
    arguments: [
      (0, "one second"), (45, "45 seconds"), (60, "one minute"), (90, "90 seconds"), (150, "2 minutes"), (3600, "60 minutes"),
      (7199, "119 minutes"), (7200, "2 hours"), (28_740, "7 hours and 59 minutes"), (28_800, "8 hours"),
      (28_860, "8 hours and one minute"),
      (172_800, "2 days"), (180_000, "2 days and 2 hours"), (2_592_000, "30 days"),
    ])
  func words(seconds: Int, words: String) {
    #expect(WaitingLine.words(.seconds(seconds)) == words)
  }
}
