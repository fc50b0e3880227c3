-- Sends requests from a file in turn. Each connection sends a request after the response to its previous one.
-- Argument: the file, which contains four lines for each request: the path, the content type, the cookies, and the
-- body. A request without a body is a GET.

local requests, turn = {}, 0
statuses = {}
local threads = {}

function setup(thread) table.insert(threads, thread) end

function init(arguments)
  local lines = io.lines(arguments[1])
  for address in lines do
    local fields = {
      ["Content-Type"] = lines(), Cookie = lines(), Origin = wrk.scheme .. "://" .. wrk.headers["Host"],
    }
    local body = lines()
    requests[#requests + 1] = body == "" and wrk.format("GET", address) or wrk.format("POST", address, fields, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status) statuses[status] = (statuses[status] or 0) + 1 end

function done(summary, latency, requests)
  local e, counts, words = summary.errors, {}, {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do counts[status] = (counts[status] or 0) + count end
  end
  for status, count in pairs(counts) do words[#words + 1] = string.format('"%d": %d', status, count) end
  print(string.format(
    'REQUESTS {"statuses": {%s}, "seconds": %.6f, "p50": %.1f, "p99": %.1f, "slowest": %.1f, "lost": %d}',
    table.concat(words, ", "), summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max,
    e.connect + e.read + e.write + e.timeout))
end
