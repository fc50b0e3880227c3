/// Says that there may be something to do. Many signals before the next look are one.
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
