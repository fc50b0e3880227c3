/// Wakes a background task. Signals that are sent before the task wakes up count as one signal.
struct WakeSignal: Sendable {
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (self.stream, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func send() {
    self.continuation.yield()
  }
}
