-- Refreshing many grants, one after the other. Arguments: the path, the form without the token, the number of connections, a file with a
-- token in each line, of which each connection takes its share. The file then has their successors.

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
    -- One whose answer does not come in time is nobody's any more: to present it again could be reuse. So is one that wrk only looks at.
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
