import FoundationEssentials
import Glibc
import NIOCore

/// The service manager that started this process, if it accepts sd_notify(3) messages.
enum ServiceManager {
  /// Sends a message without waiting. Does nothing if there is no service manager.
  static func notify(_ state: String, at path: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return }
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path)
    // "@" stands for the zero byte with which the name of an abstract socket begins. Such a name does not end with a
    // zero byte, so the size of the address must be exact.
    let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    guard name.count < room else { return }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let message = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, size)
      }
    }
  }

  /// The monotonic time in microseconds, which RELOADING=1 requires.
  static var monotonicMicroseconds: UInt64 { NIODeadline.now().uptimeNanoseconds / 1_000 }
}
