import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportRemote
import Testing

@testable import SallyportCommand

@Suite("Failures of commands")
struct CommandFailureTests {
  @Test("the SDK's advice is part of the message")
  func advice() {
    let failure = CommandFailure(SignInError.idToken(.expired))
    #expect(failure.message.contains("it has expired") && failure.message.contains("Check the clocks"), "\(failure)")
    for error in [SignInError.tokenResponse(.malformed), .response(.issuerMismatch), .discovery(.s256NotSupported)] {
      #expect(CommandFailure(error).advice == error.explanation.advice, "\(error)")
    }
  }

  @Test("errors of the browser, the token store, and registration have the SDK's text, and advice about the command")
  func ownAdvice() throws {
    let rejection = OAuthErrorResponse(error: "invalid_client_metadata", description: nil)
    let table: [(CommandFailure, problem: String, advice: String?)] = [
      (CommandFailure(UserAgentError.noBrowser(tried: ["a", "b"])), "No browser was found (tried a, b).", "--browser"),
      (
        CommandFailure(UserAgentError.failed(program: "w3m", reason: "r")), #"The program "w3m" did not open the page (r)."#,
        "--browser"
      ),
      (CommandFailure(TokenStoreError.unavailable(reason: "r")), "The token store is unavailable (r).", "SALLYPORT_STORE"),
      (CommandFailure(TokenStoreError.damaged(reason: "r")), "The token store contains damaged data: r.", "sallyport logout"),
      (CommandFailure(TokenStoreError.failed(reason: "r")), "The token store failed (r).", nil),
      (
        CommandFailure(RegistrationError.notOffered), "The server does not offer dynamic client registration (RFC 7591 §3).",
        "--client-id"
      ),
      (
        CommandFailure(RegistrationError.refused(rejection)),
        "The server rejected the registration: invalid_client_metadata (RFC 7591 §3.2.2).", "--client-id"
      ),
      (
        CommandFailure(RegistrationError.forgotten), "The server no longer has this registration (RFC 7592 §2).",
        "sallyport login"
      ),
    ]
    for (failure, problem, advice) in table {
      #expect(failure.status == .failed && failure.description == problem, "\(failure)")
      #expect(advice.map { failure.advice?.contains($0) == true } ?? (failure.advice == nil), "\(failure)")
    }
  }

  @Test("if the server rejects the access token at the UserInfo endpoint, the failure asks for a sign-in to the account")
  func rejectedToken() throws {
    let account = Account(issuer: try Issuer("https://id.example"), clientID: "it's")
    let failure = CommandFailure(SessionError.userInfo(.unexpectedStatus(401)), account)
    #expect(failure.status == .signInNeeded, "\(failure)")
    #expect(failure.advice == #"Run `sallyport login --issuer https://id.example --client-id 'it'\''s'`."#, "\(failure)")
    #expect(CommandFailure(SessionError.userInfo(.unexpectedStatus(403)), account).status == .failed)
  }

  @Test("the advice to sign in again names the account")
  func completeCommand() throws {
    var account = Account(profile: ProfileName("work"), issuer: try Issuer("https://id.example"), clientID: "notes")
    let ended = OAuthErrorResponse(error: "invalid_grant", description: nil)
    let errors: [SessionError] = [
      .signInRequired(.signedOut), .signInRequired(.noRefreshToken), .signInRequired(.refused(ended)),
      .signInRequired(.refusedAfterLostResponse(ended)), .signInRequired(.interactionRequired(ended)), .signInRequired(.keyLost),
      .stepUpRequired(StepUp(scope: "admin")), .boundToKey, .dpopKey(.damaged),
      .refused(OAuthErrorResponse(error: "login_required", description: nil)),
    ]
    for error in errors {
      let failure = CommandFailure(error, account)
      #expect(failure.advice?.contains("`sallyport login --profile work") == true, "\(failure)")
    }
    account.profile = nil
    account.resource = try EndpointURL("https://api.example/")
    let failure = CommandFailure.notSignedIn(account)
    let command = "sallyport login --resource https://api.example/ --issuer https://id.example --client-id notes"
    #expect(failure.advice == "Run `\(command)`.", "\(failure)")
  }

  @Test("the advice for a certificate of another host does not mention SSL_CERT_FILE")
  func certificate() {
    let failure = CommandFailure(unreachable: "The server", .untrusted(reason: TransportError.otherHostReason))
    #expect(failure.advice?.contains("SSL_CERT_FILE") == false, "\(failure)")
    #expect(CommandFailure(unreachable: "The server", .untrusted(reason: "unknown")).advice?.contains("SSL_CERT_FILE") == true)
  }

  @Test("if a certificate is not trusted or a response is too large, the exit code is 1, because a retry does not help")
  func notTemporary() {
    for error in [TransportError.untrusted(reason: "unknown"), .bodyTooLarge] {
      #expect(CommandFailure(unreachable: "The server", error).status == .failed)
    }
    for error in [TransportError.timedOut, .unreachable(reason: "offline")] {
      #expect(CommandFailure(unreachable: "The server", error).status == .tryAgain)
    }
  }

  @Test("a different spelling of the issuer is not reported as an error of the server")
  func issuer() {
    let failure = CommandFailure(SignInError.discovery(.issuerMismatch(found: "https://id.example/")))
    #expect(failure.message.contains("trailing slash") && failure.message.contains("--issuer https://id.example/"))
    #expect(!failure.message.contains("invalid"))
  }

  @Test("an invalid signature is reported as an invalid signature")
  func signature() {
    let failure = CommandFailure(SignInError.idToken(.signatureInvalid))
    #expect(failure.message.contains("its signature is invalid"))
  }

  @Test(
    "error codes of the server determine the exit code",
    arguments: [
      ("access_denied", .denied), ("authorization_declined", .denied), ("temporarily_unavailable", .tryAgain),
      ("server_error", .tryAgain), ("login_required", .signInNeeded), ("consent_required", .signInNeeded),
      ("interaction_required", .signInNeeded), ("invalid_client", .failed), ("incorrect_client_credentials", .failed),
    ] as [(String, SallyportCommand.ExitStatus)])
  func codes(code: String, status: SallyportCommand.ExitStatus) {
    let response = OAuthErrorResponse(error: code, description: nil)
    #expect(CommandFailure(SignInError.refused(response)).status == status)
    #expect(CommandFailure(SessionError.refused(response)).status == status)
    #expect(CommandFailure(SessionError.refused(response)).serverError?.description == code)
  }

  @Test(
    "if the server rejects the client, the message names the option for the client secret",
    arguments: ["invalid_client", "incorrect_client_credentials", "unauthorized_client"])
  func client(code: String) {
    let response = OAuthErrorResponse(error: code, description: nil)
    #expect(CommandFailure(SignInError.refused(response)).message.contains("--client-secret-file"))
    #expect(CommandFailure(SessionError.refused(response)).message.contains("--client-secret-file"))
  }

  @Test(
    "an issuer or API without https:// is rejected, and the message contains the URL with https://",
    arguments: ["accounts.google.com", "id.example.com/tenant", "localhost:8080"])
  func scheme(text: String) {
    for arguments in [["--issuer", text], ["--resource", text]] {
      #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["token"] + arguments) }
      do {
        _ = try RootCommand.parseAsRoot(["token"] + arguments)
      } catch {
        #expect(RootCommand.message(for: error).contains("https://\(text)"), "\(RootCommand.message(for: error))")
      }
    }
  }

  @Test("the URL of a metadata document is not accepted as an issuer, and the message suggests the issuer")
  func metadataURL() {
    let url = "https://id.example.com/a/.well-known/openid-configuration"
    do {
      _ = try RootCommand.parseAsRoot(["token", "--issuer", url])
      Issue.record("no error")
    } catch {
      #expect(RootCommand.message(for: error).contains("the issuer is probably https://id.example.com/a"))
    }
  }
}
