import Sallyport
import SallyportDesktop
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("Failures of login")
struct LoginFailureTests {
  private let account: Account

  init() throws {
    self.account = Account(issuer: try Issuer("https://id.example"), clientID: "notes")
  }

  @Test("if the browser may show an error page, the failure names the client and the redirect URI", arguments: [true, false])
  func errorPage(isTimeout: Bool) {
    let error: SignInError = isTimeout ? .timedOut : .cancelled
    let uri = "http://127.0.0.1:49152/callback"
    let failure = CommandFailure(login: error, to: self.account, waitingFor: uri)
    #expect(failure.status == .denied)
    for words in [
      "If the browser showed an error", "\"notes\"", "registered for it at the server: \(uri).", "different each time",
    ] {
      #expect(failure.message.contains(words), "\(failure)")
    }
    #expect(failure.message.contains("--timeout") == isTimeout)
    let other = CommandFailure(login: error, to: self.account, waitingFor: nil)
    #expect(!other.message.contains("browser"), "\(other)")
  }

  @Test(
    "the failure does not mention the redirect URI if this installation registered itself or the provider accepts every loopback URI"
  )
  func registered() throws {
    let uri = "http://127.0.0.1:49152/callback"
    var account = self.account
    account.usesOwnRegistration = true
    #expect(CommandFailure(login: SignInError.cancelled, to: account, waitingFor: uri).advice == nil)
    account.usesOwnRegistration = false
    account.server = .provider(try Provider("google"))
    let google = CommandFailure(login: SignInError.cancelled, to: account, waitingFor: uri)
    #expect(google.message.contains("\"notes\"") && !google.message.contains(uri), "\(google)")
  }

  @Test("for a redirect URI with a fixed port, the failure does not say that the port changes")
  func fixedPort() throws {
    var account = self.account
    account.redirectURI = try RedirectURI("http://127.0.0.1:8976/callback")
    let failure = CommandFailure(login: SignInError.timedOut, to: account, waitingFor: "http://127.0.0.1:8976/callback")
    #expect(failure.message.contains("8976/callback.") && !failure.message.contains("different each time"), "\(failure)")
  }

  @Test(
    "the failures for a missing and for a wrong client secret differ",
    arguments: [("invalid_client", nil), ("incorrect_client_credentials", nil), ("invalid_request", "client_secret is missing.")])
  func secret(code: String, description: String?) {
    let response = OAuthErrorResponse(error: code, description: description)
    var account = self.account
    let messages = [false, true].map { hasSecret in
      account.hasSecret = hasSecret
      let login = CommandFailure(login: SignInError.refused(response), to: account, waitingFor: nil)
      #expect(CommandFailure(SessionError.refused(response), account).message == login.message)
      #expect(login.status == .failed && login.message.contains("--client-secret-file"), "\(login)")
      return login.message
    }
    let (withoutSecret, withSecret) = (messages[0], messages[1])
    #expect(withoutSecret.contains("No client secret was sent"), "\(messages)")
    #expect(!withSecret.contains("No client secret was sent") && withSecret.contains("the client secret"), "\(messages)")
  }

  @Test("the failure for a missing ID token suggests the scope openid, unless the server does not support OpenID Connect")
  func idToken() throws {
    var account = Account(issuer: try Issuer("https://github.com"), clientID: "notes", scope: "read:user")
    account.server = .provider(try Provider("github"))
    let gitHub = CommandFailure.noIDToken(account, granted: "read:user")
    #expect(gitHub.message.contains("does not support OpenID Connect") && !gitHub.message.contains("openid"), "\(gitHub)")
    account.server = nil
    let other = CommandFailure.noIDToken(account, granted: "read:user")
    let command = "sallyport login --issuer https://github.com --client-id notes --scope 'read:user openid'"
    #expect(other.advice == "Run `\(command)`.", "\(other)")
  }

  @Test("the failure for a missing ID token says whether the server granted the scope openid")
  func idTokenNotIssued() {
    var account = self.account
    for scope in [nil, "openid read"] as [Scope?] {
      account.scope = scope
      let notGranted = CommandFailure.noIDToken(account, granted: "read")
      #expect(notGranted.message.contains("did not grant the scope \"openid\""), "\(notGranted)")
      let granted = CommandFailure.noIDToken(account, granted: "openid read")
      #expect(granted.message.contains("issued none although it granted the scope \"openid\""), "\(granted)")
    }
  }

  @Test(
    "if the server rejects the redirect URI, the failure says which one must be registered",
    arguments: [
      ("redirect_uri_mismatch", nil), ("invalid_redirect_uri", nil), ("invalid_request", "Mismatching redirect URI."),
      ("invalid_request", "The redirect_uri is not registered."),
    ])
  func redirectURI(code: String, description: String?) throws {
    var account = self.account
    let error = SignInError.refused(OAuthErrorResponse(error: code, description: description))
    let failure = CommandFailure(login: error, to: account, waitingFor: nil)
    #expect(failure.status == .failed && failure.message.contains(" http://127.0.0.1/oauth2redirect/id.example "), "\(failure)")
    account.redirectURI = try RedirectURI("http://127.0.0.1:8976/callback")
    let fixed = CommandFailure(login: error, to: account, waitingFor: nil)
    #expect(fixed.message.contains(":8976/callback ") && !fixed.message.contains("different each time"), "\(fixed)")
    account.usesOwnRegistration = true
    #expect(!CommandFailure(login: error, to: account, waitingFor: nil).message.contains("127.0.0.1"))
  }

  @Test("the redirect URI is mentioned before the browser opens only if the user must register it")
  func noteAboutRedirectURI() throws {
    var account = self.account
    let uri = "http://127.0.0.1:49152/callback"
    #expect(CommandFailure.noteAboutRedirectURI(account, uri)?.contains("\(uri). Register it without the port") == true)
    account.server = .provider(try Provider("google"))
    #expect(CommandFailure.noteAboutRedirectURI(account, uri) == nil)
    account.server = nil
    account.usesOwnRegistration = true
    #expect(CommandFailure.noteAboutRedirectURI(account, uri) == nil)
  }

  @Test("if standard input is not a terminal and ends before a URL is pasted, the advice is to use a terminal")
  func pasteWithoutTerminal() {
    let conversation = SignInConversation(
      SignInPlan(methods: [.paste], reason: .chosen), self.account, isFirst: true, registrationLacksDeviceGrant: false,
      waiting: WaitingLine(timeout: .seconds(1)))
    let error = SignInError.receiver(.failed(reason: "standard input ended"))
    let failure = conversation.pasteFailure(error, hasTerminal: false)
    #expect(failure?.status == .failed && failure?.message.contains("in a terminal") == true, "\(failure as Any)")
    #expect(conversation.pasteFailure(error, hasTerminal: true) == nil)
    #expect(conversation.pasteFailure(SignInError.timedOut, hasTerminal: false) == nil)
  }
}
