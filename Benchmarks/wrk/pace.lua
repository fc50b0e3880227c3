-- Pauses a connection before each request, by the number of milliseconds in SALLYPORT_REST.

local rest = tonumber(os.getenv("SALLYPORT_REST") or 0)
if rest > 0 then
  function delay() return rest end
end
