-- The limit of the refresh: a bare request of the same size, sent by the same number of threads. Arguments: the path and the form.

local form_headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
local post

function prepare(number, arguments)
  post = wrk.format("POST", arguments[2], form_headers, arguments[3])
end

steps = {
  { request = function() return post end, response = function(status) return status == 200 end },
}
