import TestSupport

/// A history (a sequence of steps), and concurrent steps that follow it.
struct ConcurrentSteps: Sendable, CustomStringConvertible {
  var before: History
  var steps: [Step]

  var description: String {
    "\(self.before)\n-- concurrently:\n" + self.steps.map(\.description).joined(separator: "\n")
  }

  /// Returns a history for one grant, and three to five concurrent steps that can affect this grant. In half of the
  /// histories with offline access, the code is redeemed before the concurrent steps, so that they can refresh.
  static func random(seed: UInt64) -> ConcurrentSteps {
    var source = SplitMix64(seed: seed)
    var open = Step(.open, grant: 1)
    open.client = source.once(in: 4) ? .web : .app
    open.access = source.once(in: 8) ? .online : .offline
    open.key = source.once(in: 12) ? .a : .own
    var before = [Step(.signIn), open]
    let isRefreshable = source.once(in: 2) && open.access == .offline
    if isRefreshable || !source.once(in: 5) { before.append(Step(.consent, grant: 1)) }
    if isRefreshable {
      before.append(Step(.redeem, grant: 1))
      for _ in 0..<Int.random(in: 0...2, using: &source) { before.append(Step(.refresh, grant: 1)) }
      if source.once(in: 3) { before.append(Self.wait(&source)) }
    }
    let verbs: [(weight: Int, value: Step.Verb)] =
      isRefreshable
      ? [(16, .refresh), (2, .revokeRefresh), (2, .revokeAccess), (2, .redeem), (1, .changePassword), (1, .sweep)]
      : [(16, .redeem), (4, .consent), (1, .changePassword), (1, .signOut), (1, .sweep)]
    let steps = (0..<Int.random(in: 3...5, using: &source)).map { _ in Self.step(source.pick(verbs), &source) }
    return ConcurrentSteps(before: History(before), steps: steps)
  }

  private static func wait(_ source: inout some RandomNumberGenerator) -> Step {
    var step = Step(.wait)
    step.seconds = [1, 29, 30, 31, 3_000].randomElement(using: &source) ?? 1
    return step
  }

  private static func step(_ verb: Step.Verb, _ source: inout some RandomNumberGenerator) -> Step {
    var step = Step(verb, grant: verb.namesGrant ? 1 : 0)
    switch verb {
    case .refresh:
      // Usually presents the newest token, and sometimes one of the two tokens before it.
      step.age = source.pick([(6, 0), (2, 1), (1, 2)])
      if source.once(in: 8) { step.scope = .narrower }
      if source.once(in: 12) { step.party = .other }
    case .redeem:
      if source.once(in: 5) { step.verifier = .wrong }
      if source.once(in: 10) { step.party = .other }
      if source.once(in: 10) { step.key = .b }
    default: break
    }
    return step
  }
}
