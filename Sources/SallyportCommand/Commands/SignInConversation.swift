import Sallyport
import SallyportDesktop
import SallyportProtocol

/// What `login` tells the person, on standard error: which way was chosen and why, and what to do.
struct SignInConversation: Sendable {
  private let plan: SignInPlan
  private let isDeniedDeviceGrant: Bool

  /// - Parameter isDeniedDeviceGrant: whether the plan lacks the code for another device because the server has registered this
  ///   installation without that grant.
  init(_ plan: SignInPlan, isDeniedDeviceGrant: Bool) {
    self.plan = plan
    self.isDeniedDeviceGrant = isDeniedDeviceGrant
  }

  /// Says why a browser is opened where that is not a matter of course.
  func begin() {
    guard self.plan.methods.first == .browser else { return }
    switch self.plan.reason {
    case .browserNamed: Output.talk("BROWSER names a browser: signing in with that. \(Self.otherWays)")
    case .windows: Output.talk("This is Linux in Windows: signing in with Windows' browser. \(Self.otherWays)")
    default: break
    }
  }

  func tell(_ invitation: SignInPrompt) {
    switch invitation {
    case .trying(let way): self.explain(way)
    case .device(let prompt): Self.show(prompt)
    case .page(let url):
      // The URL is for this person's terminal and not for a log; whoever chose --paste asked for it.
      Output.talk("Open this page in a browser on any machine and sign in; Ctrl-C cancels:\n\n\(url.value)\n")
    case .paste(.ready(let uri)):
      Output.talk(
        """
        The browser then comes to a page that cannot be reached. Copy its address, which begins with
          \(uri)
        and paste it here, with Enter. It is not shown.
        """)
    case .paste(.rejected(let reason, let uri)): Output.talk(Self.words(reason, uri))
    }
  }

  private func explain(_ way: SignInMethod) {
    guard self.plan.reason != .chosen else { return }
    switch way {
    case .device: Output.talk("\(self.because): signing in on another device. \(Self.otherWays)")
    case .paste:
      let choice = "signing in with a browser elsewhere, whose last address you paste here"
      let reason =
        self.isDeniedDeviceGrant
        ? "the server does not let clients that registered themselves use a code for another device"
        : "the server offers this client no code for another device"
      Output.talk("\(self.because), and \(reason): \(choice).")
    case .browser: break
    }
  }

  private var because: String {
    switch self.plan.reason {
    case .ssh: "This is an SSH session"
    case .container: "This is a container"
    case .noDisplay: "There is no display here"
    case .display, .browserNamed, .windows, .chosen: "No browser opened"
    }
  }

  private static let otherWays = "(--browser, --device or --paste choose otherwise.)"

  private static func show(_ prompt: DevicePrompt) {
    let minutes = max(1, ((Timestamp(prompt.expiration) - .now()).components.seconds + 30) / 60)
    var text = "Open this page on your phone or another computer\n  \(prompt.verificationURI.value)\nand enter the code\n"
    text += "  \(prompt.userCode)\n"
    let address = (prompt.completeURI ?? prompt.verificationURI).value
    if let terminal = Terminal.standardError, let lines = QRCode(address)?.lines(for: terminal) {
      text += "\n\(lines.joined(separator: "\n"))\n\n"
    }
    let life = "The code is good for \(minutes == 1 ? "a minute" : "\(minutes) minutes")."
    Output.talk(text + "\(life) Never enter one that somebody sent you. Ctrl-C cancels.")
  }

  private static func words(_ reason: PasteRejection, _ uri: RedirectURI) -> String {
    switch reason {
    case .otherAddress: "That is not the address: it begins with \(uri)? and ends the sign-in. Paste that one."
    case .otherSignIn: "That address does not belong to this sign-in. Paste the one that the page above led to."
    case .tooLong: "That is too long to be the address. Paste the address alone."
    }
  }
}
