import TestSupport

extension History {
  /// Returns the history for a seed. Many of its requests are invalid, because the steps are chosen without regard to
  /// what the model would accept.
  /// - Parameter length: The number of random choices. A choice adds one step, or several steps if it starts a grant.
  static func random(seed: UInt64, length: ClosedRange<Int> = 8...24) -> History {
    var source = SplitMix64(seed: seed)
    var steps = [Step(.signIn)]
    var grants = 0
    for _ in 0..<Int.random(in: length, using: &source) {
      // The first choice starts a grant. A later choice starts one with a probability of 1/8, up to four grants.
      if grants == 0 || source.once(in: 8), grants < 4 {
        grants += 1
        steps += self.authorization(grants, &source)
      } else {
        // Prefer the newest grant, so that there are long chains of refreshes.
        let grant = source.once(in: 3) ? Int.random(in: 1...grants, using: &source) : grants
        steps.append(self.step(grant, &source))
      }
    }
    return History(steps)
  }

  private static func authorization(_ grant: Int, _ source: inout some RandomNumberGenerator) -> [Step] {
    var open = Step(.open, grant: grant)
    open.client = source.once(in: 4) ? .web : .app
    open.access = source.once(in: 6) ? .online : .offline
    open.resource = source.once(in: 5) ? .narrower : .all
    // In an `open` step, `.own` means no key.
    open.key = source.once(in: 8) ? .a : .own
    var redeem = Step(.redeem, grant: grant)
    redeem.key = source.once(in: 10) ? .a : .own
    let valid = [open, Step(.consent, grant: grant), redeem]
    if source.once(in: 16) {
      // After `Model.maximumFailures` wrong redemptions, the server rejects even the correct redemption at the end.
      var wrong = redeem
      wrong.verifier = .wrong
      return valid.prefix(2) + Array(repeating: wrong, count: Int.random(in: 4...6, using: &source)) + [redeem]
    }
    return source.once(in: 4) ? Array(valid.prefix(Int.random(in: 1...2, using: &source))) : valid
  }

  static func step(_ grant: Int, _ source: inout some RandomNumberGenerator) -> Step {
    // The numbers are weights.
    let verb: Step.Verb = source.pick(
      [
        (24, .refresh), (10, .redeem), (16, .wait), (4, .consent), (3, .sweep), (2, .restart), (2, .revokeRefresh),
        (2, .revokeAccess),
        (1, .signOut), (1, .signIn),
      ])
    var step = Step(source.once(in: 120) ? self.rareVerb(&source) : verb, grant: grant)
    switch step.verb {
    case .wait: step.seconds = self.durations.randomElement(using: &source) ?? 1
    case .redeem: self.vary(redeem: &step, &source)
    case .refresh: self.vary(refresh: &step, &source)
    case .revokeRefresh, .revokeAccess:
      step.age = source.once(in: 3) ? 1 : 0
      step.party = source.once(in: 4) ? .other : .own
    case .removeClient: step.client = source.once(in: 2) ? .web : .app
    case .changePassword, .consent, .open, .replaceKeys, .restart, .rotateKeys, .signIn, .signOut, .sweep: break
    }
    return step.verb.namesGrant ? step : step.withoutGrant
  }

  private static func rareVerb(_ source: inout some RandomNumberGenerator) -> Step.Verb {
    source.pick([(3, .changePassword), (3, .removeClient), (1, .rotateKeys), (1, .replaceKeys)])
  }

  /// Durations in seconds. Most of them are close to a lifetime in ``Model/Lifetimes``.
  private static let durations = [
    1, 1, 2, 5, 28, 29, 30, 31, 59, 60, 61, 299, 540, 599, 600, 601, 1_799, 1_800, 2_999, 3_000, 3_001, 9_000,
  ]

  private static func vary(redeem step: inout Step, _ source: inout some RandomNumberGenerator) {
    guard source.once(in: 2) else { return }
    switch Int.random(in: 0..<7, using: &source) {
    case 0: step.verifier = .wrong
    case 1: step.verifier = .none
    case 2: step.party = .other
    case 3: step.redirect = .wrong
    case 4: step.resource = source.once(in: 2) ? .wider : .narrower
    case 5: step.key = .none
    default: step.key = .b
    }
  }

  private static func vary(refresh step: inout Step, _ source: inout some RandomNumberGenerator) {
    step.age = source.pick([(14, 0), (5, 1), (1, 2), (1, 3)])
    guard source.once(in: 4) else { return }
    switch Int.random(in: 0..<6, using: &source) {
    case 0: step.scope = .narrower
    case 1: step.scope = .wider
    case 2: step.party = .other
    case 3: step.resource = source.once(in: 2) ? .wider : .narrower
    case 4: step.key = .none
    default: step.key = .b
    }
  }
}

extension Step {
  fileprivate var withoutGrant: Step {
    var copy = self
    copy.grant = 0
    return copy
  }
}
