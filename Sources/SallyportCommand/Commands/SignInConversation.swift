import Sallyport
import SallyportDesktop
import SallyportProtocol
import Synchronization

/// The messages of `login` on standard error: the sign-in method, why it was chosen, and what the user
/// must do.
final class SignInConversation: Sendable {
  private let plan: SignInPlan
  private let account: Account
  private let isFirst: Bool
  private let registrationLacksDeviceGrant: Bool
  private let waiting: WaitingLine
  private let pendingRedirect = Mutex<String?>(nil)
  private let hasShownCode = Mutex(false)

  /// The redirect URI of the request that the browser shows, until the response arrives. `nil` if no browser is used.
  ///
  /// The URL of a pushed request doesn't contain the redirect URI. For such a request, this is `nil` until the command
  /// asks the user to paste the response, and always `nil` with a browser on this machine.
  var pendingRedirectURI: String? { self.pendingRedirect.withLock(\.self) }

  /// - Parameters:
  ///   - plan: The sign-in methods to try.
  ///   - account: The account that the user signs in to.
  ///   - isFirst: Whether the user has not signed in to the account before.
  ///   - registrationLacksDeviceGrant: Whether the server registered this installation without the device grant,
  ///     although the server offers the grant to other clients. If so, the plan must not contain ``SignInMethod/device``.
  ///   - waiting: Shows how long the command waits.
  init(_ plan: SignInPlan, _ account: Account, isFirst: Bool, registrationLacksDeviceGrant: Bool, waiting: WaitingLine) {
    self.plan = plan
    self.account = account
    self.isFirst = isFirst
    self.waiting = waiting
    self.registrationLacksDeviceGrant = registrationLacksDeviceGrant
  }

  /// Tells the user which browser is used, if `BROWSER` names it or if it is the Windows browser of WSL.
  func begin() {
    guard self.plan.methods.first == .browser else { return }
    switch self.plan.reason {
    case .browserNamed: Output.message("Signing in with the browser that BROWSER names. \(Self.otherMethods)")
    case .windows:
      Output.message("This is the Windows Subsystem for Linux: signing in with the Windows browser. \(Self.otherMethods)")
    default: break
    }
  }

  /// Writes the stages of the sign-in if the user passed `--verbose`. Always writes these messages:
  ///
  /// - At the first sign-in to the account, the redirect URI that the user must register, if any.
  /// - A warning if the server returned no refresh token although the scope `offline_access` was requested.
  func follow(_ progress: SignInProgress) {
    switch progress {
    case .sendingSharedSecret: Verbosity.note("Sending the client secret, because the server requires it.")
    case .skipped(let skippedOption):
      Verbosity.note("Skipping a sign-in method: \(CommandFailure([skippedOption]).description)")
    case .opening(let url):
      let redirectURI = Self.redirectURI(in: url)
      self.setPending(redirectURI)
      if let redirectURI {
        Verbosity.note("The redirect URI is \(redirectURI).")
        if self.isFirst, let note = CommandFailure.noteAboutRedirectURI(self.account, redirectURI) { Output.message(note) }
      }
      Verbosity.note("Opening \(url).")
    case .responseReceived:
      self.setPending(nil)
      self.waiting.end()
      Verbosity.note("The response has arrived.")
    case .refreshTokenMissing:
      Output.message(
        "The server returned no refresh token, so you must sign in again when the access token expires. To stay signed in, try "
          + "`\(self.account.loginCommand.adding("--prompt", "consent"))`.")
    }
  }

  private func setPending(_ redirectURI: String?) {
    self.pendingRedirect.withLock { $0 = redirectURI }
  }

  /// The redirect URI of an authorization request, or `nil` if the request was pushed.
  private static func redirectURI(in url: BrowserURL) -> String? {
    let query = url.value.drop { $0 != "?" }.dropFirst()
    return (try? FormParameters(parsing: query))?["redirect_uri"]
  }

  func show(_ prompt: SignInPrompt) {
    switch prompt {
    case .trying(let method): self.explain(method)
    case .device(let prompt):
      self.hasShownCode.withLock { $0 = true }
      Self.show(prompt)
      self.waiting.begin("you to enter the code", within: Timestamp(prompt.expiration) - .now())
    case .page(let url):
      // This prints the URL with its query, because the user opens it on another machine.
      Output.message("Open this page in a browser on any machine and sign in, or press Ctrl-C to cancel:\n\n\(url.value)\n")
    case .paste(.ready(let uri)):
      self.setPending(uri.value)
      Output.message(
        """
        At the end, the browser shows a page that cannot be reached. Copy its URL, which starts with
          \(uri)
        and paste it here, then press Enter. The terminal does not show what you paste.
        """)
    case .paste(.rejected(let reason, let uri)): Output.message(Self.message(reason, uri))
    }
  }

  private func explain(_ method: SignInMethod) {
    guard self.plan.reason != .chosen else { return }
    switch method {
    case .device: Output.message("\(self.reasonForPlan): signing in on another device. \(Self.otherMethods)")
    case .paste:
      let choice = "sign in with a browser on another machine, and paste the final URL here"
      let reason =
        self.registrationLacksDeviceGrant
        ? "the server does not allow signing in on another device for clients that registered themselves"
        : "the server does not allow signing in on another device for this client"
      Output.message("\(self.reasonForPlan), and \(reason): \(choice).")
    case .browser: break
    }
  }

  /// The failure if the server does not allow signing in on another device for this client, and the plan contains no
  /// other method. Otherwise `nil`.
  func deviceFailure(_ error: any Error) -> CommandFailure? {
    guard self.plan.methods == [.device], !self.hasShownCode.withLock(\.self) else { return nil }
    let code: OAuthErrorCode?
    switch error as? SignInError {
    case .deviceAuthorization(.notOffered): code = nil
    case .refused(let errorResponse) where [.unauthorizedClient, .unsupportedGrantType].contains(errorResponse.code):
      code = errorResponse.code
    default: return nil
    }
    let reason = code.map { " (\($0))" } ?? ""
    let message =
      self.plan.reason == .chosen
      ? "The server does not allow signing in on another device for this client\(reason)."
      : "\(self.reasonForPlan), and the server does not allow signing in on another device for this client\(reason)."
    return CommandFailure(
      .failed, message,
      "To paste the final URL of the sign-in, run the command with --paste in a terminal. To use a browser on this machine, specify "
        + "--browser. Or ask the operator of the server to allow the device grant for this client (sallyportd: `client add --device`).",
      serverError: code)
  }

  /// The failure if reading the pasted URL failed, for example because standard input ended. `nil` for all other
  /// errors. Also `nil` if there is a terminal, because the failure advises the user to use a terminal.
  /// - Parameter hasTerminal: Whether standard input and standard error are terminals.
  func pasteFailure(_ error: any Error, hasTerminal: Bool = Output.canAsk) -> CommandFailure? {
    guard self.plan.methods == [.paste], !hasTerminal, case .receiver(.failed(let reason))? = error as? SignInError else {
      return nil
    }
    return CommandFailure(
      .failed, "The redirect could not be received: \(reason).",
      "Run the command in a terminal, or keep its standard input open and write the final URL to it.")
  }

  private var reasonForPlan: String {
    switch self.plan.reason {
    case .ssh: "This is an SSH session"
    case .container: "This is a container"
    case .noDisplay: "There is no display"
    // For `.display`, `.browserNamed`, and `.windows`, a plan tries a browser first, so it reaches another method only
    // after the browser failed. Callers handle `.chosen` themselves.
    case .display, .browserNamed, .windows, .chosen: "No browser could be opened"
    }
  }

  private static let otherMethods = "To choose another method, use --browser, --device, or --paste."

  private static func show(_ prompt: DevicePrompt) {
    let minutes = max(1, ((Timestamp(prompt.expiration) - .now()).components.seconds + 30) / 60)
    var text = "Open this page on your phone or another computer\n  \(prompt.verificationURI.value)\nand enter the code\n"
    text += "  \(prompt.userCode)\n"
    let url = (prompt.completeURI ?? prompt.verificationURI).value
    if let terminal = Terminal.standardError, let lines = QRCode(url)?.lines(for: terminal) {
      text += "\n\(lines.joined(separator: "\n"))\n\n"
    }
    let lifetime = "The code expires in \(minutes == 1 ? "one minute" : "\(minutes) minutes")."
    Output.message(text + "\(lifetime) Never enter a code that someone sent you. Press Ctrl-C to cancel.")
  }

  private static func message(_ reason: PasteRejection, _ uri: RedirectURI) -> String {
    switch reason {
    case .otherAddress:
      "This is not the expected URL. Paste the URL of the page on which the sign-in ended. It starts with \"\(uri)?\"."
    case .otherSignIn: "This URL does not belong to this sign-in. Open the page above, sign in there, and paste the final URL."
    case .tooLong: "This text is too long. Paste only the URL."
    }
  }
}
