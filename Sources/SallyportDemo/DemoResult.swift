import Sallyport
import SallyportProtocol

/// The result of the sign-in, printed as text or JSON.
struct DemoResult: Encodable, Sendable {
  struct Timing: Encodable, Sendable {
    let step: Int
    let what: String
    let milliseconds: Double?
  }

  let issuer: String
  let claims: IDTokenClaims?
  let scope: String
  /// The remaining lifetime of the access token, in seconds, or `nil` if the server did not specify it.
  let accessTokenSeconds: Int64?
  let hasRefreshToken: Bool
  let steps: [Timing]
  let screenshots: [String]

  init(_ session: OAuthSession, timeline: DemoTimeline, screenshots: [String]) async throws {
    self.issuer = session.issuer.value
    self.claims = await session.claims
    self.scope = await session.scope.description
    self.accessTokenSeconds = await session.expiration.map { (Timestamp($0) - .now()).components.seconds }
    self.hasRefreshToken = await session.isRenewable
    self.steps = DemoTimeline.Step.allCases.map { step in
      Timing(step: step.rawValue, what: step.text, milliseconds: timeline.milliseconds(step))
    }
    self.screenshots = screenshots
  }

  /// The result as lines of text.
  var lines: [String] {
    var lines = ["", "Signed in at \(self.issuer)", "", "ID token, verified:"]
    if let claims {
      lines += [
        "  iss    \(claims.issuer)", "  sub    \(claims.subject)", "  aud    \(claims.audience.values.joined(separator: " "))",
        "  exp    in \(Int64(claims.expiration) - Timestamp.now().seconds) s",
        "  auth   \(Timestamp.now().seconds - Int64(claims.authenticationTime ?? claims.issuedAt)) s ago",
      ]
      if claims.nonce != nil { lines.append("  nonce  matches the request") }
      if claims.accessTokenHash != nil { lines.append("  at_hash  matches the access token") }
    }
    lines += [
      "", "Scope: \(self.scope)",
      "Access token: \(self.accessTokenSeconds.map { "expires in \($0) s" } ?? "no expiration specified")",
    ]
    lines.append(self.hasRefreshToken ? "Refresh token: yes, replaced at each use" : "Refresh token: no")
    lines += ["", "Steps, in milliseconds since the first step:"]
    lines += self.steps.map { step in
      "  (\(step.step)) \(Self.padded(step.milliseconds)) \(step.what)"
    }
    if !self.screenshots.isEmpty { lines += ["", "Screenshots:"] + self.screenshots.map { "  \($0)" } }
    return lines
  }

  private static func padded(_ milliseconds: Double?) -> String {
    let text = milliseconds.map { "\(($0 * 10).rounded() / 10)" } ?? "-"
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
  }
}
