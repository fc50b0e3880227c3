-- The limit of the code flow: two bare requests of the same size. Arguments: the path and the cookie of the first request, and the path
-- and the form of the second request.

local form_headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
local first, second

function prepare(number, arguments)
  first = wrk.format("GET", arguments[2], { Cookie = arguments[3] })
  second = wrk.format("POST", arguments[4], form_headers, arguments[5])
end

local function succeeded(status) return status == 200 end

steps = {
  { request = function() return first end, response = succeeded },
  { request = function() return second end, response = succeeded },
}
