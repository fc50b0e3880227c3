#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Thrown when a program cannot be started.
package struct SpawnError: Error, Equatable, Sendable, CustomStringConvertible {
  package var executable: String
  package var reason: String
  package var description: String { "\(self.executable) could not be started: \(self.reason)" }
}

/// The files for a child's standard streams.
struct SpawnFiles {
  var input: String
  var output: String
  var error: String
}

/// Starts a child in a new process group. It inherits no descriptors except its three standard streams.
func spawnChild(_ command: ChildCommand, files: SpawnFiles) throws(SpawnError) -> Int32 {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGMASK
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, files.input, O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, files.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  posix_spawn_file_actions_addopen(&actions, 2, files.error, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  #if !canImport(Darwin)
    // Closes all other descriptors, because not every library sets close-on-exec. A browser must not keep a listening
    // socket of this process open.
    for descriptor in openDescriptors() where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
  #endif
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setflags(&attributes, Int16(flags))
  posix_spawnattr_setpgroup(&attributes, 0)

  let environment = command.environment ?? ProcessInfo.processInfo.environment
  var identifier: pid_t = 0
  let result = withCStrings([command.executable] + command.arguments) { arguments in
    withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
      posix_spawn(&identifier, command.executable, &actions, &attributes, arguments, environment)
    }
  }
  guard result == 0 else {
    throw SpawnError(executable: command.executable, reason: String(cString: strerror(result)))
  }
  return identifier
}

#if !canImport(Darwin)
  /// The open descriptors of this process.
  private func openDescriptors() -> [Int32] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
  }
#endif

/// Passes the texts as a null-terminated array of C strings.
private func withCStrings<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let pointers = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
