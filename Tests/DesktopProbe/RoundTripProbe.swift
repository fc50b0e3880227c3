import Glibc
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// Receives a redirect that it sends to itself.
struct RoundTripProbe {
  /// IPv4 addresses of this network on which the port must not be reachable.
  let refused: [String]

  func run() async throws {
    do {
      try await self.receive()
    } catch RedirectReceiverError.cannotBind(let reason) {
      StoreProbe.say("cannot bind: \(reason)")
    }
  }

  private func receive() async throws {
    let issuer = try Issuer("https://issuer.example")
    try await LoopbackReceiver().withRedirect(for: ServerConfiguration(issuer: issuer)) { bound in
      StoreProbe.say("redirect \(bound.redirectURI)")
      for address in self.refused {
        StoreProbe.say(
          "\(address) \(ProbeClient.canConnect(to: address, port: ProbeClient.port(of: bound)) ? "open" : "refused")")
      }
      async let page = ProbeClient.get("\(bound.redirectURI)?state=good&code=1")
      let received = try await bound.response { $0.contains("state=good") }
      await received.finish(.signedIn(appName: nil))
      StoreProbe.say(await page)
    }
  }
}
