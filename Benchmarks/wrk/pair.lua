-- The limit of the flow: two bare requests one after the other, of the flow's own size. Arguments: the first one's path, its cookie, the
-- second one's path, its form.

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
