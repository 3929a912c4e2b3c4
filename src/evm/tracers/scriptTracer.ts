import { TraceError, type TracerFactory } from './tracer.ts'

/** Makes a tracer of a script. Called in a worker that serves this one trace and ends with it. */
export const loadScriptTracer = async (_script: string): Promise<TracerFactory> => {
  throw new TraceError('tracers in JavaScript are not supported yet: use one of those that have a name')
}
