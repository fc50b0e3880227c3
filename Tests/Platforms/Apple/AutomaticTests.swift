import AppKit
import AuthenticationServices
import SallyportProtocol
import SallyportRemote
import Testing

@testable import Sallyport

@MainActor
@Suite(.serialized)
struct AutomaticTests {
  @Test("C-05, P-04: the automatic choice is the authentication session, and then the default browser")
  func choices() throws {
    let window = NSWindow()
    for (uri, kind) in [("com.example.app:/cb", RedirectOption.Kind.privateUse), ("https://app.example.com/cb", .claimedHTTPS)] {
      let receiver = AppRedirectReceiver(redirectURI: try RedirectURI(uri))
      let options = [RedirectOption].automatic(receiver: receiver) { window }
      #expect(options.map(\.kind) == [kind, kind])
    }
  }

  @Test("C-05: an authentication session that cannot be shown leads to the next option, and one that the user closed does not")
  func fallback() {
    let failed = SignInError.userAgent(.failed(program: "ASWebAuthenticationSession", reason: "not shown"))
    #expect(RedirectFallback(.privateUse, failed) != nil)
    #expect(RedirectFallback(.privateUse, SignInError.dismissed) == nil)
  }
}
