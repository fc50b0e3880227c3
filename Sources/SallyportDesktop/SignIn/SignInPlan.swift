/// A method for signing a user in.
public enum SignInMethod: String, Sendable, CaseIterable {
  /// A browser on this machine with a loopback receiver.
  case browser
  /// A code for another device (RFC 8628), if the server supports it.
  case device
  /// A browser on another machine. The user pastes the final URL here.
  case paste
}

/// The sign-in methods that may work in an environment, and the reason for this choice.
public struct SignInPlan: Sendable, Equatable {
  /// Why these methods were chosen.
  public enum Reason: Sendable, Equatable {
    /// The user chose the method.
    case chosen
    /// There is a display, on which a browser can open.
    case display
    /// `BROWSER` is set. Some editors set this variable, to open pages in a browser on another machine.
    case browserNamed
    /// This is WSL, so Windows has a browser.
    case windows
    /// The user is connected over SSH, or the process runs in a container. The user could probably not see a browser
    /// that opens here.
    case ssh, container
    /// There is no display on which a browser can open.
    case noDisplay
  }

  /// The methods to try. If the browser is one of them, it is tried first, wherever it is in this array. The other
  /// methods are tried in this order.
  public var methods: [SignInMethod]
  /// Why these methods were chosen.
  public var reason: Reason

  /// Creates a plan.
  /// - Parameters:
  ///   - methods: The methods to try. See ``methods``.
  ///   - reason: Why these methods were chosen.
  public init(methods: [SignInMethod], reason: Reason) {
    self.methods = methods
    self.reason = reason
  }
}

extension SignInEnvironment {
  /// Returns the sign-in methods for this environment. If the user could probably not see a browser, the methods
  /// include it only if the user chose the browser, or if `BROWSER` is set (rule P-06).
  ///
  /// A browser is best: an attacker can trick a user into typing a code or pasting a URL, but a loopback redirect never
  /// leaves the machine on which the browser runs. If no browser opens, a user at a terminal can use the other methods.
  /// Over SSH (except on a Mac) and in a container, a display counts too: it was forwarded deliberately, and a browser
  /// shown on it runs on this machine, so the browser can reach the loopback address.
  /// - Parameter chosen: The user's own choice, which always takes precedence.
  public func plan(choosing chosen: SignInMethod? = nil) -> SignInPlan {
    if let chosen { return SignInPlan(methods: [chosen], reason: .chosen) }
    // Without a terminal nothing can be pasted, but someone may still read a code on standard error.
    let manualMethods: [SignInMethod] = self.hasTerminal ? [.device, .paste] : [.device]
    let withBrowser: [SignInMethod] = self.hasTerminal ? [.browser] + manualMethods : [.browser]
    if self.namesBrowser { return SignInPlan(methods: withBrowser, reason: .browserNamed) }
    if self.isWSL && !self.isSSH { return SignInPlan(methods: withBrowser, reason: .windows) }
    if self.hasDisplay && !self.isMacOverSSH { return SignInPlan(methods: withBrowser, reason: .display) }
    return SignInPlan(methods: manualMethods, reason: self.isSSH ? .ssh : self.isContainer ? .container : .noDisplay)
  }

  /// Whether this is a Mac that is used over SSH. A Mac always has a display, but a user who is connected over SSH
  /// doesn't see it.
  private var isMacOverSSH: Bool {
    #if os(macOS)
      self.isSSH
    #else
      false
    #endif
  }
}
