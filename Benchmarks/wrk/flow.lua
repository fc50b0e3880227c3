-- A complete sign-in of a browser that has a session: the authorization request, then the token request.
-- Arguments: the path of the authorization request, the session cookies of the users separated by "|", the path of the token request,
-- and the form of the token request without the code. The connections use the sessions in turn.

local form_headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
local authorize, token_path, form, code

function prepare(number, arguments)
  local cookies = {}
  for cookie in arguments[3]:gmatch("[^|]+") do cookies[#cookies + 1] = cookie end
  authorize = wrk.format("GET", arguments[2], { Cookie = cookies[number % #cookies + 1] })
  token_path, form = arguments[4], arguments[5]
end

steps = {
  {
    request = function() return authorize end,
    response = function(status, headers)
      code = status == 303 and (headers["Location"] or ""):match("[?&]code=([^&]+)")
      return code
    end,
  },
  {
    request = function() return wrk.format("POST", token_path, form_headers, form .. "&code=" .. code) end,
    response = function(status, headers, body) return status == 200 and body:find("access_token", 1, true) end,
  },
}
