/// The exit status of a command. Scripts depend on these numbers.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case signInNeeded = 3
  /// The user or the server denied the operation, or the user canceled it or did not respond in time.
  case denied = 4
  /// A network or server problem. The same command may succeed later.
  case tryAgain = 5

  /// The name in the JSON form of a failure. Scripts depend on these names.
  var name: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .usage: "usage"
    case .signInNeeded: "sign_in_needed"
    case .denied: "denied"
    case .tryAgain: "try_again"
    }
  }
}
