import Glibc
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// Opens a loopback receiver, sends the redirect to it, and prints the results.
struct RoundTripProbe {
  /// IPv4 addresses of this machine at which the receiver's port must not be open.
  let refused: [String]

  func run() async throws {
    do {
      try await self.receive()
    } catch RedirectReceiverError.cannotBind(let reason) {
      StoreProbe.printLine("cannot bind: \(reason)")
    }
  }

  private func receive() async throws {
    let issuer = try Issuer("https://issuer.example")
    try await LoopbackReceiver().withRedirect(for: ServerConfiguration(issuer: issuer)) { bound in
      StoreProbe.printLine("redirect \(bound.redirectURI)")
      for address in self.refused {
        StoreProbe.printLine(
          "\(address) \(ProbeClient.canConnect(to: address, port: ProbeClient.port(of: bound)) ? "open" : "refused")")
      }
      async let page = ProbeClient.get("\(bound.redirectURI)?state=good&code=1")
      let received = try await bound.response { $0.contains("state=good") }
      await received.finish(.signedIn(appName: nil))
      StoreProbe.printLine(await page)
    }
  }
}
