/// How the command ends. Others script against these numbers.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case signInNeeded = 3
  /// Denied or cancelled by the person, or nobody answered.
  case denied = 4
  /// Network or server trouble: the same command may do later.
  case tryAgain = 5
}

/// Why the command stops, in one sentence for the person.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
