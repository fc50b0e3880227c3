import SallyportLanguages

/// Formats the time that a user must wait, for the text of a page: in seconds if it is shorter than two minutes, and
/// otherwise in minutes, rounded up.
enum WaitingTime {
  static func words(_ seconds: Int, _ texts: PageTexts) -> String {
    seconds < 120
      ? texts(.waitingSeconds, ["count": .number(max(1, seconds))])
      : texts(.waitingMinutes, ["count": .number((seconds + 59) / 60)])
  }
}
