import SallyportProtocol

extension HistoryRun {
  /// Runs concurrent steps on two servers, and searches for an order in which the model returns the same responses and
  /// reaches the same state as the store.
  /// - Returns: `nil` if there is such an order, and otherwise a description of the failure.
  static func failure(of concurrent: ConcurrentSteps, on pair: ServerPair) async throws -> String? {
    var run = try await HistoryRun(on: pair)
    for (index, step) in concurrent.before.steps.enumerated() {
      if let failure = try await run.runStep(step, by: index) { return "while preparing, at \(step): \(failure)" }
    }
    let actions = concurrent.steps.compactMap { run.model.resolve($0) }
    let observed = try await run.performConcurrently(actions)
    var lastDifference = "no order matches the responses"
    for order in Self.orders(of: actions.count) {
      guard let end = run.applying(actions, observed, in: order) else { continue }
      guard let difference = try await end.differences(seenBy: 0).first else { return nil }
      lastDifference = difference
    }
    let responses = zip(actions, observed).map { "\($0.step): \(Self.summary($1))" }.joined(separator: "\n")
    return "no order of the requests explains these responses (\(lastDifference)):\n\(responses)"
  }

  private func performConcurrently(_ actions: [Action]) async throws -> [ObservedResponse] {
    try await withThrowingTaskGroup(of: (Int, ObservedResponse).self) { group in
      for (index, action) in actions.enumerated() {
        group.addTask { (index, try await self.perform(action, by: index)) }
      }
      var observed: [Int: ObservedResponse] = [:]
      for try await (index, response) in group { observed[index] = response }
      return actions.indices.compactMap { observed[$0] }
    }
  }

  /// Applies the actions to the model in this order, and stores the values of their responses.
  /// - Returns: The run after these actions, or `nil` if a response does not match the model.
  private func applying(_ actions: [Action], _ observed: [ObservedResponse], in order: [Int]) -> HistoryRun? {
    var run = self
    for index in order {
      let expected = run.model.apply(actions[index])
      let failure = run.issued.record(observed[index], of: actions[index], expecting: expected, startedAt: self.startedAt)
      if failure != nil { return nil }
    }
    return run
  }

  /// Returns all permutations of the numbers from 0 to `count - 1`.
  static func orders(of count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return self.orders(of: count - 1).flatMap { order in
      (0...order.count).map { position in Array(order[..<position] + [count - 1] + order[position...]) }
    }
  }

  private static func summary(_ observed: ObservedResponse) -> String {
    if case .tokens(let response) = observed {
      return "tokens, refresh token ending in \(response.refreshToken?.reveal().suffix(6) ?? "-")"
    }
    return "\(observed)"
  }
}
