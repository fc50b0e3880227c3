-- Runs operations of one or more requests. Each request depends on the previous response. There is one thread per connection
-- (wrk -t N -c N), so a thread knows to which request a response belongs.
--
-- Arguments: the file with the operation's steps, then the arguments of the steps. The file defines `steps`, a list of
-- { request = function(), response = function(status, headers, body) -> success }.

dofile(os.getenv("SALLYPORT_WRK") .. "/pace.lua")

local ffi = require("ffi")
ffi.cdef([[
  struct timespec { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct timespec *time);
]])
local time = ffi.new("struct timespec")

local function microseconds()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) * 1e6 + tonumber(time.nanoseconds) / 1e3
end

local threads = {}

function setup(thread)
  thread:set("number", #threads + 1)
  table.insert(threads, thread)
end

local step, began = 1, 0
latencies, failures = {}, 0

function init(arguments)
  dofile(arguments[1])
  prepare(number, arguments)
end

function request()
  if step == 1 then began = microseconds() end
  return steps[step].request()
end

function response(status, headers, body)
  if not steps[step].response(status, headers, body) then
    if failures == 0 then io.stderr:write("step " .. step .. ": " .. status .. " " .. body .. "\n") end
    failures = failures + 1
    step = 1
  elseif step == #steps then
    latencies[#latencies + 1] = microseconds() - began
    step = 1
  else
    step = step + 1
  end
end

-- Writes the tokens that the next turn can use into the operation's token file, one per line.
function keep(file)
  local output = io.open(file, "w")
  for _, thread in ipairs(threads) do
    for _, line in ipairs(thread:get("remaining")) do output:write(line, "\n") end
  end
  output:close()
end

function done(summary, latency, requests)
  local all, failed = {}, 0
  for _, thread in ipairs(threads) do
    for _, value in ipairs(thread:get("latencies")) do all[#all + 1] = value end
    failed = failed + thread:get("failures")
  end
  local token_file = threads[1]:get("token_file")
  if token_file then keep(token_file) end
  table.sort(all)
  local e = summary.errors
  print(string.format(
    'RESULT {"operations": %d, "seconds": %.6f, "p50": %.1f, "p99": %.1f, "errors": %d}', #all, summary.duration / 1e6,
    all[math.max(1, math.ceil(#all * 0.50))] or 0, all[math.max(1, math.ceil(#all * 0.99))] or 0,
    failed + e.connect + e.read + e.write + e.timeout))
end
