-- Refreshes. Each connection has its own chain of tokens. Arguments: the path, the form without the token, and one token for each
-- connection.

local form_headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
path, form, token = nil, nil, nil

function prepare(number, arguments)
  path, form, token = arguments[2], arguments[3], arguments[3 + number]
end

steps = {
  {
    request = function() return wrk.format("POST", path, form_headers, form .. "&refresh_token=" .. token) end,
    response = function(status, headers, body)
      local successor = status == 200 and body:match('"refresh_token":"([^"]+)"')
      token = successor or token
      return successor
    end,
  },
}
