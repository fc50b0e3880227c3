// swift-format-ignore-file
// Re-exports Glibc under the name of Apple's C library, and declares what the client uses but Glibc lacks or declares
// differently.
@_exported public import Glibc

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022
public let POSIX_SPAWN_SETSID: Int32 = 0x0400
public let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000
public let POSIX_SPAWN_SETSIGDEF: Int32 = 0x0004
public let POSIX_SPAWN_SETSIGMASK: Int32 = 0x0008

// These are pointers on Apple systems, and structures in Glibc.
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public typealias FileActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
public typealias Attributes = UnsafeMutablePointer<posix_spawnattr_t?>

@discardableResult public func posix_spawn_file_actions_init(_ actions: FileActions) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_destroy(_ actions: FileActions) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_addopen(
  _ actions: FileActions, _ descriptor: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_adddup2(
  _ actions: FileActions, _ descriptor: Int32, _ target: Int32
) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_init(_ attributes: Attributes) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_destroy(_ attributes: Attributes) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setsigmask(_ attributes: Attributes, _ set: UnsafePointer<sigset_t>) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setsigdefault(_ attributes: Attributes, _ set: UnsafePointer<sigset_t>) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setflags(_ attributes: Attributes, _ flags: Int16) -> Int32 { 0 }
public func posix_spawnp(
  _ process: UnsafeMutablePointer<pid_t>, _ program: UnsafePointer<CChar>, _ actions: UnsafePointer<posix_spawn_file_actions_t?>,
  _ attributes: UnsafePointer<posix_spawnattr_t?>, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 { 0 }
