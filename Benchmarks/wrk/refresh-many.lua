-- Refreshes many grants, one after the other. Arguments: the path, the form without the token, the number of connections, a file with one
-- token per line, which the connections share. Afterward, the file contains their successors.

dofile(os.getenv("SALLYPORT_WRK") .. "/refresh.lua")

left, rest = {}, nil

function prepare(number, arguments)
  local connections, line = tonumber(arguments[4]), 0
  path, form, rest = arguments[2], arguments[3], arguments[5]
  for text in io.lines(rest) do
    line = line + 1
    if line % connections == number % connections then left[#left + 1] = text end
  end
end

local refresh = steps[1]
steps = {
  {
    -- A token whose response does not arrive in time is not used again, because that could be reuse. wrk also discards some responses.
    request = function()
      token = table.remove(left, 1)
      return refresh.request()
    end,
    response = function(status, headers, body)
      local successor = refresh.response(status, headers, body)
      left[#left + 1] = successor or nil
      return successor
    end,
  },
}
