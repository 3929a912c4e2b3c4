import type { StreamedJson, TraceOptions } from '../../chain/port/traces.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'

/** Returns who answers: the main process alone has the sources, for a stack that `tracerConfig` asks for. */
export const tracedBy = (options: TraceOptions | undefined): 'main' | 'serving' =>
  options !== undefined && wantsStackTrace(options) ? 'main' : 'serving'

const wantsStackTrace = ({ tracerConfig }: TraceOptions): boolean =>
  typeof tracerConfig === 'object' &&
  tracerConfig !== null &&
  Reflect.get(tracerConfig, 'withStackTrace') === true

/** Returns a trace with the stack in the source as its last member, `stackTrace`, where it is requested and known. */
export const withStackTrace = async (
  trace: Promise<StreamedJson>,
  options: TraceOptions,
  find: () => Promise<StackTrace | undefined>,
): Promise<StreamedJson> => {
  if (!wantsStackTrace(options)) return trace
  const [json, stack] = await Promise.all([trace, find().catch(() => undefined)])
  if (stack === undefined) return json
  const { cause } = stack
  const member = { stackTrace: { ...(cause !== undefined && { cause }), lines: stackTraceLines(stack) } }
  return addMember(json, Buffer.from(JSON.stringify(member)))
}

/** Adds the members of one object to the end of another that is read in pieces. A list is not changed. */
const addMember = (json: StreamedJson, added: Buffer): StreamedJson => {
  // The bracket that closes the first gives way to a comma, the one that opens the second is left out.
  const joint = Buffer.from(',')
  const tail = Buffer.concat([joint, added.subarray(1)])
  const { bytes } = json
  if (bytes !== undefined) {
    if (bytes.at(-1) !== closeBrace) return json
    const whole = bytes.length === 2 ? added : Buffer.concat([bytes.subarray(0, -1), tail])
    return { ...json, size: whole.length, bytes: whole, read: () => oneByOne(whole) }
  }
  return {
    size: json.size - 1 + tail.length,
    bytes: undefined,
    read: async function* () {
      let left = json.size - 1
      let isObject: boolean | undefined
      for await (const piece of json.read()) {
        isObject ??= piece[0] === openBrace
        yield isObject ? piece.subarray(0, left) : piece
        left -= Math.min(left, piece.length)
      }
      // A list keeps its size: spaces take the place of the members.
      yield isObject === true ? tail : Buffer.alloc(tail.length - 1, ' ')
    },
    dispose: () => json.dispose(),
  }
}

const openBrace = 0x7b
const closeBrace = 0x7d

const oneByOne = async function* (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
