/// Formats the time that a user must wait, for the text of a page.
enum WaitingTime {
  static func words(_ seconds: Int) -> String {
    switch seconds {
    case ...1: "a second"
    case ...119: "\(seconds) seconds"
    default: "\((seconds + 59) / 60) minutes"
    }
  }
}
