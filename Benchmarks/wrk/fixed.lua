-- Repeats one request. Arguments: the method, the path, the body, then header fields.

dofile(os.getenv("SALLYPORT_WRK") .. "/pace.lua")

function init(arguments)
  wrk.method, wrk.path = arguments[1], arguments[2]
  if arguments[3] ~= "" then wrk.body = arguments[3] end
  for index = 4, #arguments do
    local name, value = arguments[index]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
end

function done(summary, latency, requests)
  local e = summary.errors
  print(string.format(
    'RESULT {"operations": %d, "seconds": %.6f, "p50": %.1f, "p99": %.1f, "errors": %d}', summary.requests,
    summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
