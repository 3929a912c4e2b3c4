-- Drives the bodies of a file, one a line, in turn; prints what was measured as one line of JSON.
local bodies = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    if line ~= "" then bodies[#bodies + 1] = wrk.format("POST", "/", { ["Content-Type"] = "application/json", ["Host"] = "127.0.0.1" }, line) end
  end
end

function request()
  at = at % #bodies + 1
  return bodies[at]
end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format('\nresult {"requests":%d,"micros":%d,"bytes":%d,"errors":%d,"p50":%d,"p99":%d,"p999":%d}\n',
    summary.requests, summary.duration, summary.bytes, failed, latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
