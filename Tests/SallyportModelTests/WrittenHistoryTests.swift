import ServerTestSupport
import Testing

/// Histories (sequences of steps) in which an earlier version of the server differed from the model, and histories that
/// demonstrate a rule.
@Suite("Written histories")
struct WrittenHistoryTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var rule: String
    var history: String
    /// The response to the last step.
    var response: ExpectedResponse
    var testDescription: String { self.rule }
  }

  static let rows = [
    Row(
      rule:
        "S-22: if an attacker redeems a code with their own key, the grant ends when the client redeems the code with another key",
      history: "sign-in; open 1; consent 1; redeem 1 key=b; redeem 1 key=a; refresh 1", response: .refused("grantEnded")),
    Row(
      rule: "S-22: a second redemption with another resource is also a replay",
      history: "sign-in; open 1; consent 1; redeem 1; redeem 1 resource=wider", response: .refused("codeReplayed")),
    Row(
      rule: "S-22: a code becomes invalid after five failed redemptions, and not after four",
      history: """
        sign-in; open 1; consent 1; open 2; consent 2; redeem 1 verifier=wrong; redeem 1 redirect=wrong; redeem 1 party=other
        redeem 1 verifier=none; redeem 1; refresh 1
        redeem 2 verifier=wrong; redeem 2 verifier=wrong; redeem 2 verifier=wrong; redeem 2 verifier=wrong; redeem 2 verifier=wrong
        redeem 2
        """, response: .refused("codeExhausted")),
    Row(
      rule: "S-23: for 30 seconds, a used refresh token gets the same successor; later, its reuse ends the grant",
      history:
        "sign-in; open 1; consent 1; redeem 1; refresh 1; wait seconds=29; refresh 1 age=1; wait seconds=1; refresh 1 age=1",
      response: .refused("refreshTokenReused")),
    Row(
      rule: "S-23: reuse of a refresh token whose successor was used ends the grant immediately",
      history: "sign-in; open 1; consent 1; redeem 1; refresh 1; refresh 1; refresh 1 age=2",
      response: .refused("refreshTokenReused")),
    Row(
      rule: "S-23: reuse of a refresh token is detected after a sweep and a restart",
      history: "sign-in; open 1; consent 1; redeem 1; refresh 1; wait seconds=600; sweep; restart; refresh 1 age=1; refresh 1",
      response: .refused("grantEnded")),
    Row(
      rule:
        "Signing out ends grants without offline_access, even those given before the user signed in again in the same browser",
      history:
        "sign-in; open 1 access=online; consent 1; sign-in; open 2 access=online; consent 2; redeem 2; sign-out; redeem 1",
      response: .refused("grantEnded")),
    Row(
      rule: "Signing out does not end grants with offline_access",
      history: "sign-in; open 1; consent 1; sign-out; redeem 1; refresh 1; sweep; refresh 1 scope=wider",
      response: .refused("scopeExceedsGrant")),
  ]

  @Test(
    "S-23: a written history matches the model, and ends with the response that its rule requires", arguments: rows,
    TestDatabase.Kind.allCases)
  func written(_ row: Row, on kind: TestDatabase.Kind) async throws {
    let history = try #require(History(row.history), "a step is invalid")
    let pair = try await ServerPair(kind)
    #expect(try await HistoryRun.failure(of: history, on: pair) == nil)
    var model = Model()
    var last = ExpectedResponse.done
    for step in history.steps {
      if let action = model.resolve(step) { last = model.apply(action) }
    }
    #expect(last == row.response)
  }

  @Test(
    "after a leak, tokens of all earlier keys are invalid, including those of retired keys", arguments: TestDatabase.Kind.allCases
  )
  func leakedRetiredKey(on kind: TestDatabase.Kind) async throws {
    let history = try #require(History("sign-in; open 1; consent 1; redeem 1; rotate-keys; refresh 1; replace-keys; refresh 1"))
    #expect(try await HistoryRun.failure(of: history, on: ServerPair(kind)) == nil)
  }

  @Test("parsing the description of a history returns the same steps", arguments: 0..<50)
  func text(seed: UInt64) throws {
    let history = History.random(seed: seed)
    let read = try #require(History(history.description))
    #expect(read.steps == history.steps)
  }

  @Test("a failing history is shortened to the necessary steps")
  func shrinking() async throws {
    let history = History.random(seed: 7, length: 60...60)
    let needed = [Step(.signIn), Step(.sweep), Step(.restart)]
    let long = History(history.steps + [needed[1]] + history.steps + [needed[2]])
    let short = await long.shrunk { candidate in needed.allSatisfy(candidate.steps.contains) }
    #expect(short.steps.count == 3 && Set(short.steps) == Set(needed))
  }
}
