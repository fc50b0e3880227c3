-- Pauses a connection before each request, for the number of milliseconds in SALLYPORT_PAUSE.

local pause = tonumber(os.getenv("SALLYPORT_PAUSE") or 0)
if pause > 0 then
  function delay() return pause end
end
