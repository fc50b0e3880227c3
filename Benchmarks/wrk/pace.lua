-- A connection rests so many milliseconds before each request, where somebody asks for that.

local rest = tonumber(os.getenv("SALLYPORT_REST") or 0)
if rest > 0 then
  function delay() return rest end
end
