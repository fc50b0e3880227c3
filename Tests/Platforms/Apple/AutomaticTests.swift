import AppKit
import AuthenticationServices
import SallyportProtocol
import SallyportRemote
import Testing

@testable import Sallyport

// These tests use the same stubs of the system as the other tests of this suite. Tests that share stubs must run one
// after another, so they are in one suite.
extension WebAuthenticationTabTests {
  @Test(
    "C-05, P-04: the automatic choice is ASWebAuthenticationSession, and the default browser only if that cannot be shown",
    arguments: ["com.example.app:/cb", "https://app.example.com/cb"], [true, false])
  func choices(redirectURI: String, canStart: Bool) async throws {
    let server = SmallServer()
    let receiver = AppRedirectReceiver(redirectURI: try RedirectURI(redirectURI))
    ASWebAuthenticationSession.canStart = canStart
    var shownURLs: [URL] = []
    ASWebAuthenticationSession.onStart = {
      shownURLs.append($0.url)
      $0.complete(SmallServer.response(to: $0.url))
    }
    defer { (ASWebAuthenticationSession.canStart, ASWebAuthenticationSession.onStart) = (true, nil) }
    let before = NSWorkspace.shared.opened.count
    NSWorkspace.shared.onOpen = { url in
      guard let response = SmallServer.response(to: url) else { return }
      // The system delivers the redirect later, when the client waits for it.
      Task { while !receiver.deliver(response), !Task.isCancelled { await Task.yield() } }
    }
    defer { NSWorkspace.shared.onOpen = nil }
    let window = NSWindow()
    let session = try await server.client().signIn(
      SignInOptions(scopes: ["notes"]), redirects: .automatic(receiver: receiver) { window })
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(shownURLs.count == (canStart ? 1 : 0))
    #expect(NSWorkspace.shared.opened.count - before == (canStart ? 0 : 1))
  }

  @Test("an authentication session that cannot be shown leads to the next option, and one that the user closed does not")
  func fallback() {
    let failed = SignInError.userAgent(.failed(program: "ASWebAuthenticationSession", reason: "not shown"))
    // The initializer returns nil for an error that ends the sign-in. Other errors lead to the next option.
    #expect(RedirectOption.Fallback(.privateUse, failed) != nil)
    #expect(RedirectOption.Fallback(.privateUse, SignInError.dismissed) == nil)
  }
}
