-- Refreshes many grants, one after the other. Arguments: the path, the form without the token, the number of
-- connections, and a file with one token per line. Each connection gets its own part of the tokens. At the end, the
-- file contains the tokens for the next run.

dofile(os.getenv("SALLYPORT_WRK") .. "/refresh.lua")

remaining, token_file = {}, nil

function prepare(number, arguments)
  local connections, line = tonumber(arguments[4]), 0
  path, form, token_file = arguments[2], arguments[3], arguments[5]
  for text in io.lines(token_file) do
    line = line + 1
    if line % connections == number % connections then remaining[#remaining + 1] = text end
  end
end

local refresh = steps[1]
steps = {
  {
    -- A token whose response does not arrive in time is not used again, because the server would treat a
    -- replaced token as reuse. wrk also discards some responses.
    request = function()
      token = table.remove(remaining, 1)
      return refresh.request()
    end,
    response = function(status, headers, body)
      local successor = refresh.response(status, headers, body)
      remaining[#remaining + 1] = successor or nil
      return successor
    end,
  },
}
