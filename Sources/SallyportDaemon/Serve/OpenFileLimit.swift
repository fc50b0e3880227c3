import Glibc

/// The process's limit of open files. Each connection is an open file.
enum OpenFileLimit {
  /// The number of open files that a server needs for everything except connections, such as its database.
  private static let reserve = 128

  /// Raises the soft limit to the hard limit if it is too low.
  /// - Parameter connections: The number of connections that the server accepts at a time.
  /// - Returns: A warning if even the hard limit is too low; nil if the limit is sufficient.
  static func raise(for connections: Int) -> String? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    let needed = rlim_t(connections + self.reserve)
    guard limit.rlim_cur < needed else { return nil }
    let current = limit.rlim_cur
    limit.rlim_cur = min(needed, limit.rlim_max)
    let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    guard !isRaised || limit.rlim_cur < needed else { return nil }
    return
      "the limit of open files (\(isRaised ? limit.rlim_cur : current)) is too low for \(connections) connections; raise it to at least \(needed), for example with LimitNOFILE in the systemd unit, or lower connections.limit"
  }
}
