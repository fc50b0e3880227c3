-- The same request again and again; wrk measures by itself.

function done(summary, latency, requests)
  local e = summary.errors
  print(string.format(
    'RESULT {"operations": %d, "seconds": %.6f, "p50": %.1f, "p99": %.1f, "errors": %d}', summary.requests,
    summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
