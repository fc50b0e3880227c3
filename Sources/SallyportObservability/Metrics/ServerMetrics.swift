public import Metrics
public import SallyportMetrics
package import SallyportProtocol
public import SallyportServer

/// The instruments of an authorization server.
///
/// Clients cannot create label values: routes are templates of the router, all unknown methods share one value, and the
/// other labels have a few values that the server or its operator defines.
public struct ServerMetrics: Sendable {
  package let factory: any MetricsFactory
  let requestsInFlight: Meter
  private let tokensIssued: [GrantType: Counter]
  private let rejections: CounterTable
  private let replays: CounterTable
  private let signIns: CounterTable
  private let storeErrors: CounterTable
  private let deliveries: CounterTable
  private let mails: CounterTable
  private let upstreamSignIns: CounterTable
  private let passwordDuration: Timer
  private let writeDuration: Timer
  private let commitDuration: Timer
  private let commitWrites: Recorder

  /// The descriptions for the text format: `PrometheusMetrics(describing: ServerMetrics.descriptions)`.
  public static var descriptions: [MetricDescription] { ServerMetric.allCases.map(\.description) }

  /// - Parameter factory: Stores the values. By default, this is the process-wide factory.
  public init(factory: any MetricsFactory = MetricsSystem.factory) {
    self.factory = factory
    self.requestsInFlight = Meter(label: ServerMetric.requestsInFlight.rawValue, dimensions: [], factory: factory)
    self.tokensIssued = Dictionary(
      uniqueKeysWithValues: GrantType.allCases.map { type in
        let dimensions = [("grant_type", type.metricLabel)]
        return (type, Counter(label: ServerMetric.tokensIssued.rawValue, dimensions: dimensions, factory: factory))
      })
    self.rejections = CounterTable(.rejections, ["endpoint", "error"], factory)
    self.replays = CounterTable(.replays, ["credential"], factory, known: [["refresh_token"], ["authorization_code"]])
    self.signIns = CounterTable(.signIns, ["outcome"], factory, known: SignInOutcome.allCases.map { [$0.rawValue] })
    self.storeErrors = CounterTable(
      .storeErrors, ["operation"], factory, known: StoreOperation.allCases.map { [$0.rawValue] })
    self.deliveries = CounterTable(.logoutDeliveries, ["outcome"], factory)
    self.mails = CounterTable(.mails, ["outcome"], factory)
    self.upstreamSignIns = CounterTable(.upstreamSignIns, ["upstream", "outcome"], factory)
    self.passwordDuration = Timer(label: ServerMetric.passwordDuration.rawValue, dimensions: [], factory: factory)
    self.writeDuration = Timer(label: ServerMetric.writeDuration.rawValue, dimensions: [], factory: factory)
    self.commitDuration = Timer(label: ServerMetric.commitDuration.rawValue, dimensions: [], factory: factory)
    self.commitWrites = Recorder(label: ServerMetric.commitWrites.rawValue, dimensions: [], factory: factory)
  }

  /// Whether the factory discards all values, so that requests need not be timed.
  package var isOff: Bool { self.factory is NOOPMetricsHandler }

  // MARK: Endpoints

  package func issued(_ grantType: GrantType) { self.tokensIssued[grantType]?.increment() }

  /// An endpoint whose rejected requests are counted.
  package enum Endpoint: String, Sendable {
    case authorization, registration, token, revocation, introspection, userinfo
    case pushedRequest = "pushed_request"
    case deviceAuthorization = "device_authorization"
  }

  package func rejected(_ endpoint: Endpoint, _ code: OAuthErrorCode) {
    self.rejections.count(endpoint.rawValue, code.description)
  }

  /// Counts a rejected request and, if it reused a code or a refresh token, the replay.
  package func rejected(_ endpoint: Endpoint, _ error: any EndpointError) {
    self.rejected(endpoint, error.code)
    switch error as? TokenError {
    case .refreshTokenReused: self.replays.count("refresh_token")
    case .codeReplayed: self.replays.count("authorization_code")
    default: break
    }
  }

  /// The raw values are label values, which operators use in dashboards and alerts.
  package enum SignInOutcome: String, CaseIterable, Sendable {
    case success
    /// Too many attempts failed, so the user must wait.
    case slowed
    /// Too many password checks are waiting.
    case overloaded
    /// The password, the code, or the passkey was rejected.
    case rejected = "refused"
  }

  package func signInEnded(_ outcome: SignInOutcome) { self.signIns.count(outcome.rawValue) }

  /// Counts a step of a sign-in through an upstream.
  /// - Parameters:
  ///   - upstream: The identifier of an upstream that exists.
  ///   - outcome: `started`, `completed`, `connected`, `code_needed`, or the raw value of an `UpstreamFailure`.
  package func upstreamSignIn(_ upstream: String, _ outcome: String) { self.upstreamSignIns.count(upstream, outcome) }

  // MARK: Store and passwords

  /// Records the time to hash or check a password.
  public func passwordChecked(in duration: Duration) { self.passwordDuration.record(duration: duration) }

  public enum StoreOperation: String, CaseIterable, Sendable {
    case read, write, commit
  }

  /// Records the time of a write, whether it succeeded or failed.
  public func writeEnded(after duration: Duration) { self.writeDuration.record(duration: duration) }

  /// Counts a failed read, write, or commit.
  public func storeFailed(_ operation: StoreOperation) { self.storeErrors.count(operation.rawValue) }

  /// Records a database transaction.
  /// - Parameter writes: The number of writes in the transaction.
  public func commitEnded(writes: Int, after duration: Duration) {
    self.commitWrites.record(writes)
    self.commitDuration.record(duration: duration)
  }

  public func logoutDeliveryEnded(_ outcome: LogoutDeliveries.Outcome) {
    self.deliveries.count(outcome == .givenUp ? "given_up" : outcome.rawValue)
  }

  package func mailEnded(_ outcome: MailDeliveries.Outcome) {
    switch outcome {
    case .sent: self.mails.count("sent")
    case .failed: self.mails.count("failed")
    case .givenUp: self.mails.count("given_up")
    }
  }
}

extension GrantType {
  /// The grant type, or the last part of its URN.
  fileprivate var metricLabel: String { self == .deviceCode ? "device_code" : self.rawValue }
}
