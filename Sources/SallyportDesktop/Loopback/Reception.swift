import Sallyport
import SallyportProtocol
import Synchronization

/// One use of a ``LoopbackReceiver``, from the bound port to the last page.
final class Reception: Sendable {
  private let binding: LoopbackBinding
  private let stop: StopSignal
  private let target: RedirectTarget
  private let limits: ReceiverLimits
  private let browser = Mutex<WaitingBrowser?>(nil)

  init(_ binding: LoopbackBinding, target: RedirectTarget, limits: ReceiverLimits) throws(RedirectReceiverError) {
    self.binding = binding
    self.target = target
    self.limits = limits
    do {
      self.stop = try StopSignal()
    } catch {
      throw .failed(reason: "creating a socket pair failed: \(error)")
    }
  }

  /// Waits for the response. The port is closed when this returns or throws.
  func response(accepts: @escaping @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
    guard let listeners = self.binding.take() else {
      throw RedirectReceiverError.failed(
        reason: "the port is closed, because the response was received or the wait was canceled")
    }
    let result = await withTaskCancellationHandler {
      await DedicatedThread.result("receiver") { [stop, target, limits] () throws(any Error) in
        var loop = ReceiverLoop(listeners: listeners, stop: stop, target: target, limits: limits, accepts: accepts)
        return try loop.run()
      }
    } onCancel: {
      self.stop.raise()
    }
    let accepted = try result.get()
    let browser = WaitingBrowser(
      accepted.descriptor, acceptLanguage: accepted.acceptLanguage, lastPageTime: self.limits.lastPageTime)
    self.browser.withLock { $0 = browser }
    return ReceivedRedirect(callbackURL: accepted.callbackURL) { outcome, uiLocales in
      await browser.send(outcome, uiLocales: uiLocales)
    }
  }

  /// Closes all sockets that are still open. A browser that is still waiting gets the last page that states neither
  /// success nor failure.
  func end() async {
    self.stop.raise()
    self.binding.close()
    await self.browser.withLock { $0 }?.send(nil)
  }
}
