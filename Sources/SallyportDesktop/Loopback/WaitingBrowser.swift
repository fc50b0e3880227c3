import Dispatch
import Sallyport
import SallyportSystem
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

/// The connection that delivered the response. The browser waits on this connection for the last page.
///
/// At most one page is sent: the outcome of the sign-in or sign-out, or a neutral page after a timeout or at the end.
final class WaitingBrowser: Sendable {
  /// `nil` after a page has been sent.
  private let descriptor: Mutex<SocketHandle?>
  private let acceptLanguage: String?

  /// The maximum time for sending a page.
  private static let sendingTime = Duration.seconds(5)
  /// How long the browser may take to close the connection after it has received a page.
  private static let closingTime = Duration.milliseconds(500)

  /// Takes ownership of the connection.
  /// - Parameters:
  ///   - acceptLanguage: The browser's `Accept-Language` field, or `nil` if it sent none.
  ///   - lastPageTime: The time after which the neutral page is sent, unless another page was sent before.
  init(_ descriptor: SocketHandle, acceptLanguage: String?, lastPageTime: Duration) {
    self.descriptor = Mutex(descriptor)
    self.acceptLanguage = acceptLanguage
    let seconds = Int(lastPageTime.components.seconds)
    let milliseconds = seconds * 1000 + Int(lastPageTime.components.attoseconds / 1_000_000_000_000_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      DedicatedThread.start("page") { self.send(self.page(nil)) }
    }
  }

  deinit {
    if let descriptor = self.take() { Descriptors.discard(descriptor) }
  }

  /// Sends the last page, unless a page was sent before. Returns when the browser has closed the connection, or after a
  /// time limit.
  /// - Parameters:
  ///   - outcome: Nil for the neutral page.
  ///   - uiLocales: The option `uiLocales` of the app: language tags in order of preference.
  func send(_ outcome: ReceivedRedirect.Outcome?, uiLocales: [String] = []) async {
    await DedicatedThread.run("page") { () throws(Never) in self.send(self.page(outcome, uiLocales: uiLocales)) }
  }

  private func page(_ outcome: ReceivedRedirect.Outcome?, uiLocales: [String] = []) -> [UInt8] {
    LoopbackResponse.lastPage(outcome, uiLocales: uiLocales, acceptLanguage: self.acceptLanguage)
  }

  private func take() -> SocketHandle? {
    self.descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
  }

  /// Blocks until the page is sent and the browser has closed the connection, or a time limit has passed. If the
  /// receiver closed the connection first, a fixed port would stay in the TIME_WAIT state, in which it cannot be bound
  /// again.
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
