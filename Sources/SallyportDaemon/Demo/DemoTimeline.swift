import HTTPTypes
import Hummingbird
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportServer
import Synchronization

/// The times of the six steps of a sign-in, each taken where the step happens.
final class DemoTimeline: Sendable {
  enum Step: Int, Sendable, CaseIterable {
    case appOpensURL = 1, authorizationRequest, redirectSent, redirectReceived, tokenRequest, tokensVerified

    var text: String {
      switch self {
      case .appOpensURL: "the app opens the browser"
      case .authorizationRequest: "the browser brings the request to the server"
      case .redirectSent: "the person has agreed: the server sends the browser back"
      case .redirectReceived: "the app receives code, state and iss"
      case .tokenRequest: "the app presents code and verifier"
      case .tokensVerified: "the tokens are here, the ID token is verified"
      }
    }
  }

  private let moments = Mutex<[Step: ContinuousClock.Instant]>([:])

  /// Records the time of a step. Only the first call for each step counts.
  func mark(_ step: Step) {
    self.moments.withLock { if $0[step] == nil { $0[step] = .now } }
  }

  /// The time since the first step in milliseconds.
  func milliseconds(_ step: Step) -> Double? {
    self.moments.withLock { moments in
      guard let start = moments[.appOpensURL], let moment = moments[step] else { return nil }
      return Double((moment - start).components.attoseconds) / 1e15 + Double((moment - start).components.seconds) * 1000
    }
  }

  /// Records the steps that the server sees.
  @Sendable func observe(_ request: Request, _ response: Response) {
    let path = request.uri.path
    if path == EndpointPath.authorization { self.mark(.authorizationRequest) }
    if response.status == .seeOther, let location = response.headers[.location], location.contains("code=") {
      self.mark(.redirectSent)
    }
  }
}

/// Records when the client sends the token request.
struct TimedTransport: Transport {
  let base: any Transport
  let timeline: DemoTimeline

  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse {
    if request.method == .post, request.path == EndpointPath.token { self.timeline.mark(.tokenRequest) }
    return try await self.base.send(request, body: body, limits: limits)
  }
}
