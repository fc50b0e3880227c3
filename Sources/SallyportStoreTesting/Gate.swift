import Dispatch

/// Something that one side waits for until the other lets it go on, once.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() {
    self.semaphore.signal()
  }

  /// Waits without a thread of the task pool.
  func wait() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "gate").async {
        self.semaphore.wait()
        continuation.resume()
      }
    }
  }

  /// Waits with the caller's own thread: for the inside of a body.
  func block() {
    self.semaphore.wait()
  }
}
