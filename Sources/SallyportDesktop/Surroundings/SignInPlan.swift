/// A way in which a person can sign in.
public enum SignInWay: String, Sendable, CaseIterable {
  /// A browser on this machine and a loopback receiver.
  case browser
  /// A code for another device, RFC 8628; not every server offers it.
  case device
  /// A browser on another machine, and the address that it is sent to pasted here.
  case paste
}

/// The ways that work in some surroundings, best first, and why these.
public struct SignInPlan: Sendable, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The person said so.
    case chosen
    /// There is a display, so there is a browser.
    case display
    /// A browser is named, which is how an editor on another machine offers its own.
    case browserNamed
    /// Windows has a browser.
    case windows
    /// A browser here would not be in front of the person.
    case ssh, container
    /// There is no display to open a browser on.
    case noDisplay
  }

  public var ways: [SignInWay]
  public var reason: Reason

  public init(ways: [SignInWay], reason: Reason) {
    self.ways = ways
    self.reason = reason
  }
}

extension Surroundings {
  /// How to sign in here. Rule P-06: never first a browser that nobody could see.
  ///
  /// A browser is best, since its loopback redirect proves more than a code that is typed or pasted; should none open after all, a
  /// person at a terminal has the other ways. A display counts over SSH and
  /// in a container too: it is there because somebody forwarded it, and a browser on it reaches this machine's loopback.
  /// - Parameter chosen: what the person asked for, which is not questioned.
  public func plan(choosing chosen: SignInWay? = nil) -> SignInPlan {
    if let chosen { return SignInPlan(ways: [chosen], reason: .chosen) }
    // Where nobody can paste, a code on standard error may still be read by somebody.
    let others: [SignInWay] = self.hasTerminal ? [.device, .paste] : [.device]
    let withBrowser: [SignInWay] = self.hasTerminal ? [.browser] + others : [.browser]
    if self.namesBrowser { return SignInPlan(ways: withBrowser, reason: .browserNamed) }
    if self.isWSL && !self.isSSH { return SignInPlan(ways: withBrowser, reason: .windows) }
    if self.hasDisplay && !self.isMacOverSSH { return SignInPlan(ways: withBrowser, reason: .display) }
    return SignInPlan(ways: others, reason: self.isSSH ? .ssh : self.isContainer ? .container : .noDisplay)
  }

  /// A Mac always has a display, which is not where somebody sits who came by SSH.
  private var isMacOverSSH: Bool {
    #if os(macOS)
      self.isSSH
    #else
      false
    #endif
  }
}
