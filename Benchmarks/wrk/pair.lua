-- The limit of the flow: two bare requests one after the other. Arguments: their paths.

local first, second

function prepare(number, arguments)
  first, second = wrk.format("GET", arguments[2]), wrk.format("POST", arguments[3], {}, "")
end

local function succeeded(status) return status == 200 end

steps = {
  { request = function() return first end, response = succeeded },
  { request = function() return second end, response = succeeded },
}
