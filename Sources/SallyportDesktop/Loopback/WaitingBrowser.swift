import Dispatch
import Synchronization

#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// The connection on which the answer came, and on which the browser waits for the last page.
///
/// One page is sent, whoever comes first: the sign-in with its outcome, the timer with the neutral page, or the end of the
/// sign-in, however it ended.
final class WaitingBrowser: Sendable {
  /// nil once a page is on its way.
  private let descriptor: Mutex<SocketHandle?>

  private static let sendingTime = Duration.seconds(5)
  private static let closingTime = Duration.milliseconds(500)

  /// Takes over the connection.
  init(_ descriptor: SocketHandle, patience: Duration) {
    self.descriptor = Mutex(descriptor)
    let seconds = Int(patience.components.seconds)
    let milliseconds = seconds * 1000 + Int(patience.components.attoseconds / 1_000_000_000_000_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      OwnThread.start("page") { self.send(HTTPAnswer.neutral) }
    }
  }

  deinit {
    if let descriptor = self.take() { Descriptors.discard(descriptor) }
  }

  /// Sends the page and returns when the browser has it, or does not take it.
  func answer(_ page: [UInt8]) async {
    await OwnThread.run("page") { () throws(Never) in self.send(page) }
  }

  private func take() -> SocketHandle? {
    self.descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
  }

  /// Blocks until the page is sent and the browser has closed, which keeps TIME_WAIT from a port that may be a fixed one.
  private func send(_ page: [UInt8]) {
    guard let descriptor = self.take() else { return }
    defer { Descriptors.discard(descriptor) }
    let deadline = ContinuousClock.now + Self.sendingTime
    var rest = page[...]
    while !rest.isEmpty {
      guard waitUntilReady(descriptor, .write, deadline: deadline) else { return }
      let count = SystemError.retrying { rest.withUnsafeBytes { systemSend(descriptor, $0) } }
      guard count >= 0 || SystemError().isWouldBlock else { return }
      rest = rest.dropFirst(max(count, 0))
    }
    let end = ContinuousClock.now + Self.closingTime
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while waitUntilReady(descriptor, .read, deadline: end) {
      guard systemReceive(descriptor, &buffer) > 0 else { return }
    }
  }
}
