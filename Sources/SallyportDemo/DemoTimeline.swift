import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The times of the six steps of a sign-in. The app measures four steps, and the server's log contains the other two.
final class DemoTimeline: Sendable {
  enum Step: Int, Sendable, CaseIterable {
    case appOpensURL = 1, authorizationRequest, redirectSent, redirectReceived, tokenRequest, tokensVerified

    var text: String {
      switch self {
      case .appOpensURL: "The app opens the browser."
      case .authorizationRequest: "The browser sends the authorization request to the server."
      case .redirectSent: "After the user's consent, the server redirects the browser to the app."
      case .redirectReceived: "The app receives code, state, and iss."
      case .tokenRequest: "The app sends the code and the code verifier."
      case .tokensVerified: "The app has received the tokens and verified the ID token."
      }
    }
  }

  private let times = Mutex<[Step: Date]>([:])

  /// Records the time of a step. Only the first call for each step counts.
  func record(_ step: Step, at time: Date = .now) {
    self.times.withLock { if $0[step] == nil { $0[step] = time } }
  }

  /// Records the steps that the server has logged.
  func record(_ log: ServerLog) {
    if let time = log.arrival(of: "GET", "/authorize") { self.record(.authorizationRequest, at: time) }
    if let time = log.time(of: "consent given") { self.record(.redirectSent, at: time) }
  }

  /// The time from the first step to `step` in milliseconds, or `nil` if one of the two was not recorded.
  func milliseconds(_ step: Step) -> Double? {
    self.times.withLock { times in
      guard let start = times[.appOpensURL], let time = times[step] else { return nil }
      return time.timeIntervalSince(start) * 1000
    }
  }
}

/// The log of `sallyportd`, if the setting `log.format` is `json`.
struct ServerLog {
  private struct Line: Decodable {
    let time: String
    let message: String
    let method: String?
    let route: String?
    let milliseconds: String?

    var date: Date? { try? Date(self.time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
  }

  private let lines: [Line]

  init(_ text: String) {
    self.lines = text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  func contains(_ message: String) -> Bool { self.lines.contains { $0.message == message } }

  /// The time of the first line with a message, or `nil` if there is none.
  func time(of message: String) -> Date? { self.lines.first { $0.message == message }?.date }

  /// The time when the first request to a route arrived: the time of the response minus the duration of the request,
  /// which are both in one line of the log.
  func arrival(of method: String, _ route: String) -> Date? {
    guard let line = self.lines.first(where: { $0.method == method && $0.route == route }) else { return nil }
    return line.date?.addingTimeInterval(-(line.milliseconds.flatMap(Double.init) ?? 0) / 1000)
  }
}

/// Records when the client sends the token request.
struct TimedTransport: Transport {
  let base: any Transport
  let timeline: DemoTimeline

  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse {
    if request.method == .post, request.path == "/token" { self.timeline.record(.tokenRequest) }
    return try await self.base.send(request, body: body, limits: limits)
  }
}
