/// The exit status of a command. Scripts depend on these numbers.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case signInNeeded = 3
  /// The user denied or canceled the operation, or did not respond in time.
  case denied = 4
  /// A network or server problem. The same command may succeed later.
  case tryAgain = 5
}

/// Why a command failed, with a message for the user.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
