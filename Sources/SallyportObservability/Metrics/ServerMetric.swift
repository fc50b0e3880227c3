package import SallyportMetrics

/// The metrics of an authorization server. The raw values are their names, which operators use in dashboards and
/// alerts. A name therefore stays when its case is renamed.
package enum ServerMetric: String, CaseIterable, Sendable {
  case requests = "sallyport_http_requests_total"
  case requestDuration = "sallyport_http_request_duration_seconds"
  case requestsInFlight = "sallyport_http_requests_in_flight"
  case tokensIssued = "sallyport_tokens_issued_total"
  case rejections = "sallyport_refusals_total"
  case replays = "sallyport_credential_replays_total"
  case signIns = "sallyport_sign_ins_total"
  case passwordDuration = "sallyport_password_duration_seconds"
  case writeDuration = "sallyport_store_write_duration_seconds"
  case commitDuration = "sallyport_store_commit_duration_seconds"
  case commitWrites = "sallyport_store_commit_writes"
  case storeErrors = "sallyport_store_errors_total"
  case logoutDeliveries = "sallyport_logout_deliveries_total"
  case mails = "sallyport_mails_total"
  case upstreamSignIns = "sallyport_upstream_sign_ins_total"

  package var description: MetricDescription { MetricDescription(self.rawValue, self.kind, help: self.help) }

  private var kind: MetricDescription.Kind {
    switch self {
    case .requests, .tokensIssued, .rejections, .replays, .signIns, .storeErrors, .logoutDeliveries, .mails,
      .upstreamSignIns:
      .counter
    case .requestsInFlight: .gauge
    case .requestDuration, .passwordDuration, .writeDuration: .times
    // These buckets start lower than the buckets of `MetricDescription.Kind.times`, because a commit on a fast disk
    // takes less than a millisecond.
    case .commitDuration: .histogram(buckets: [0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
    case .commitWrites: .histogram(buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    }
  }

  private var help: String {
    switch self {
    case .requests: "HTTP requests by route, method, and status class."
    case .requestDuration: "Time from the request's head to the response's head, by route."
    case .requestsInFlight: "HTTP requests in progress."
    case .tokensIssued: "Successful token responses, by grant type."
    case .rejections: "Rejected requests, by endpoint and error code."
    case .replays: "Reused codes and refresh tokens, which revoked their grants."
    case .signIns: "Sign-in attempts, by outcome."
    case .passwordDuration: "Time to hash or check one password, including the wait for a thread."
    case .writeDuration: "Time of one write to the store, from the call to the commit."
    case .commitDuration: "Time of one database transaction, which all waiting writes share."
    case .commitWrites: "Number of writes in one database transaction."
    case .storeErrors: "Failed reads, writes, and commits of the store."
    case .logoutDeliveries: "Attempts to notify a client of a sign-out, by outcome."
    case .upstreamSignIns: "Steps of sign-ins through other providers, by provider and outcome."
    case .mails: "Attempts to send a mail, by outcome."
    }
  }
}
