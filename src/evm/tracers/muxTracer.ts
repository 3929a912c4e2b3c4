import type { Tracer } from '../types.ts'
import type { ResultTracer, TracerFactory } from './tracer.ts'
import { toConfigObject } from './tracerConfig.ts'

type Hook = Exclude<keyof Tracer, 'steps'>

const hooks = [
  'start',
  'end',
  'enter',
  'exit',
  'step',
  'fault',
  'log',
  'storageRead',
  'storageWrite',
  'balanceRead',
  'accountRead',
] as const satisfies readonly Hook[]

/**
 * Returns the tracer that runs several tracers at once: `tracerConfig` has their names and settings, `find`
 * returns the factory of a name.
 */
export const muxTracer =
  (find: (name: string) => TracerFactory): TracerFactory =>
  (config, context, output) => {
    const children = Object.entries(toConfigObject(config)).map(
      ([name, settings]) => [name, find(name)(settings ?? undefined, context, output)] as const,
    )
    const mux: Record<string, unknown> = {}
    for (const hook of hooks) {
      const wanting = children.filter(([, child]) => child[hook] !== undefined)
      if (wanting.length === 0) continue
      mux[hook] = (...args: readonly unknown[]) => {
        // The hooks of a tracer have one signature each; here only their names differ.
        for (const [, child] of wanting)
          (child[hook] as (...args: readonly unknown[]) => void).apply(child, [...args])
      }
    }
    const stepping = children.filter(([, child]) => child.step !== undefined)
    const steps = stepping.every(([, child]) => child.steps !== undefined)
      ? stepping.flatMap(([, child]) => child.steps ?? [])
      : undefined
    const tracer: ResultTracer = {
      ...(mux as Tracer),
      ...(steps && { steps }),
      result: (out) => {
        let lead = '{'
        for (const [name, child] of [...children].sort(([a], [b]) => (a < b ? -1 : 1))) {
          out.ascii(lead)
          out.json(name)
          out.ascii(':')
          child.result(out)
          lead = ','
        }
        out.ascii(lead === '{' ? '{}' : '}')
      },
      dispose: () => {
        for (const [, child] of children) child.dispose?.()
      },
    }
    return tracer
  }
