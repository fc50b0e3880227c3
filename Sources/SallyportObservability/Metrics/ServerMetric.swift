package import SallyportMetrics

/// Everything that an authorization server measures, by the name under which it is written.
package enum ServerMetric: String, CaseIterable, Sendable {
  case requests = "sallyport_http_requests_total"
  case requestDuration = "sallyport_http_request_duration_seconds"
  case requestsInFlight = "sallyport_http_requests_in_flight"
  case connections = "sallyport_http_connections"
  case tokensIssued = "sallyport_tokens_issued_total"
  case refusals = "sallyport_refusals_total"
  case replays = "sallyport_credential_replays_total"
  case signIns = "sallyport_sign_ins_total"
  case passwordDuration = "sallyport_password_duration_seconds"
  case writeDuration = "sallyport_store_write_duration_seconds"
  case commitDuration = "sallyport_store_commit_duration_seconds"
  case commitWrites = "sallyport_store_commit_writes"
  case storeErrors = "sallyport_store_errors_total"
  case logoutDeliveries = "sallyport_logout_deliveries_total"

  package var description: MetricDescription { MetricDescription(self.rawValue, self.kind, help: self.help) }

  private var kind: MetricDescription.Kind {
    switch self {
    case .requests, .tokensIssued, .refusals, .replays, .signIns, .storeErrors, .logoutDeliveries: .counter
    case .requestsInFlight, .connections: .gauge
    case .requestDuration, .passwordDuration, .writeDuration: .times
    // A commit is one wait for the disk.
    case .commitDuration: .histogram(buckets: [0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
    case .commitWrites: .histogram(buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    }
  }

  private var help: String {
    switch self {
    case .requests: "Requests answered, by route, method and class of status."
    case .requestDuration: "From a request's head to the head of its answer, by route."
    case .requestsInFlight: "Requests that are being answered."
    case .connections: "Open connections."
    case .tokensIssued: "Answers of the token endpoint that hold tokens, by grant type."
    case .refusals: "Requests that were refused, by endpoint and error code."
    case .replays: "Codes and refresh tokens presented again after their use, which ended their grants."
    case .signIns: "Names and passwords that people entered, by what came of it."
    case .passwordDuration: "One password hashed or checked, the wait for a thread included."
    case .writeDuration: "One write to the store, from the call to the disk."
    case .commitDuration: "One transaction of the database, which all writes that waited share."
    case .commitWrites: "Writes that shared one transaction."
    case .storeErrors: "Reads, writes and commits that the store could not do."
    case .logoutDeliveries: "Attempts to tell a client that a person has signed out, by what came of it."
    }
  }
}
