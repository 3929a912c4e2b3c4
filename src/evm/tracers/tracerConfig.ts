import { TraceError } from './tracer.ts'

/** Returns the members of a tracer's config; unknown members are ignored, as in geth. */
export const toConfigObject = (config: unknown): Readonly<Record<string, unknown>> => {
  if (config === undefined || config === null) return {}
  if (typeof config === 'object' && !Array.isArray(config)) return config as Readonly<Record<string, unknown>>
  throw new TraceError('tracerConfig: expected an object')
}

export const readFlag = (config: unknown, name: string): boolean => {
  const value = toConfigObject(config)[name]
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw new TraceError(`tracerConfig.${name}: expected true or false`)
}
