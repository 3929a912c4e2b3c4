import type { StreamedJson } from '../../chain/port/traces.ts'
import { requestTimedOut } from '../../rpc/errors.ts'
import { RawJson, StreamedResult } from '../../rpc/rawJson.ts'

/** Returns a trace as a result. If the client does not wait any more, the trace is disposed of. */
export const toTraceResponse = async (
  trace: Promise<StreamedJson>,
  signal: AbortSignal,
): Promise<RawJson | StreamedResult> => {
  const text = await trace
  if (signal.aborted) {
    text.dispose()
    throw requestTimedOut()
  }
  return text.bytes === undefined
    ? new StreamedResult(
        text.size,
        () => text.read(),
        () => text.dispose(),
      )
    : new RawJson(text.bytes)
}
