import { callTracer } from './callTracer.ts'
import { fourByteTracer, keccak256PreimageTracer, noopTracer, opcountTracer } from './counters.ts'
import { erc7562Tracer } from './erc7562Tracer.ts'
import { flatCallTracer } from './flatCallTracer.ts'
import { muxTracer } from './muxTracer.ts'
import { prestateTracer } from './prestateTracer.ts'
import { loadScriptTracer } from './scriptTracer.ts'
import { TraceError, type TracerFactory } from './tracer.ts'

/** The tracers that have a name. A map, so that no name of the prototype is one of them. */
const nativeTracers: ReadonlyMap<string, TracerFactory> = new Map([
  ['callTracer', callTracer],
  ['flatCallTracer', flatCallTracer],
  ['prestateTracer', prestateTracer],
  ['4byteTracer', fourByteTracer],
  ['noopTracer', noopTracer],
  ['opcountTracer', opcountTracer],
  ['keccak256PreimageTracer', keccak256PreimageTracer],
  ['erc7562Tracer', erc7562Tracer],
  ['muxTracer', (...args) => muxTracer(findNative)(...args)],
])

const findNative = (name: string): TracerFactory => {
  const known = nativeTracers.get(name)
  if (known === undefined) throw new TraceError(`no tracer is called ${JSON.stringify(name.slice(0, 80))}`)
  return known
}

/** Whether the text of `tracer` is a script: it runs in a worker that is thrown away. */
export const isScript = (tracer: string): boolean => !nativeTracers.has(tracer)

/** The tracer that a client asks for by name, or with a script of its own. */
export const loadTracer = (tracer: string): TracerFactory | Promise<TracerFactory> =>
  nativeTracers.get(tracer) ?? loadScriptTracer(tracer)
