import { callTracer } from './callTracer.ts'
import {
  fourByteTracer,
  fourByteTracerLegacy,
  keccak256PreimageTracer,
  noopTracer,
  opcountTracer,
} from './counters.ts'
import { erc7562Tracer } from './erc7562Tracer.ts'
import { evmdisTracer } from './evmdisTracer.ts'
import { failureTracer } from './failureTracer.ts'
import { flatCallTracer } from './flatCallTracer.ts'
import { bigramTracer, trigramTracer, unigramTracer } from './instructionCounts.ts'
import { JavascriptTracer } from './javascript/javascriptTracer.ts'
import { Sandbox } from './javascript/sandbox.ts'
import { muxTracer } from './muxTracer.ts'
import { parityTracer } from './parity/parityTracer.ts'
import { prestateTracer } from './prestateTracer.ts'
import { stepTracer } from './steps/stepTracer.ts'
import { TraceError, type TracerFactory } from './tracer.ts'

/** Creates a tracer from a script. It is called in a worker that executes one trace and then exits. */
export const loadScriptTracer = async (script: string): Promise<TracerFactory> => {
  const sandbox = await Sandbox.load()
  return (config, context) => {
    const realm = sandbox.open(context.deadline)
    const close = (): void => sandbox.close(realm)
    try {
      return { ...new JavascriptTracer(realm, script, config, context).hooks(), dispose: close }
    } catch (error) {
      close()
      throw error
    }
  }
}

/** The built-in tracers by name. It is a map, so that no name of the prototype is found. */
const nativeTracers: ReadonlyMap<string, TracerFactory> = new Map([
  ['callTracer', callTracer],
  ['flatCallTracer', flatCallTracer],
  ['parityTracer', parityTracer],
  ['prestateTracer', prestateTracer],
  ['4byteTracer', fourByteTracer],
  ['noopTracer', noopTracer],
  ['opcountTracer', opcountTracer],
  ['keccak256PreimageTracer', keccak256PreimageTracer],
  ['erc7562Tracer', erc7562Tracer],
  ['failureTracer', failureTracer],
  ['unigramTracer', unigramTracer],
  ['bigramTracer', bigramTracer],
  ['trigramTracer', trigramTracer],
  ['evmdisTracer', evmdisTracer],
  ['4byteTracerLegacy', fourByteTracerLegacy],
  ['noopTracerLegacy', noopTracer],
  ['stepTracer', stepTracer],
  ['muxTracer', (...args) => muxTracer(findNative)(...args)],
])

const findNative = (name: string): TracerFactory => {
  // These write while the code runs, which is possible for one tracer alone.
  const known = name === 'parityTracer' || name === 'stepTracer' ? undefined : nativeTracers.get(name)
  if (known === undefined) throw new TraceError(`no tracer is called ${JSON.stringify(name.slice(0, 80))}`)
  return known
}

/** Checks whether the text of `tracer` is a script, which runs in a worker that is discarded afterwards. */
export const isScript = (tracer: string): boolean => !nativeTracers.has(tracer)

/** Returns the built-in tracer of this name, or the tracer of a script. */
export const loadTracer = (tracer: string): TracerFactory | Promise<TracerFactory> =>
  nativeTracers.get(tracer) ?? loadScriptTracer(tracer)
