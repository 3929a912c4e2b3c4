import { toHex } from '../../base/encoding/hex.ts'
import type { TraceOptions } from '../../chain/port/traces.ts'
import type { TraceFilter, TraceKind } from '../wire/parity.ts'
import { defaultTraceConfig } from '../wire/trace.ts'

/** The options of traces in Parity's format. */

const parity = (tracerConfig: object): TraceOptions => ({
  ...defaultTraceConfig,
  tracer: 'parityTracer',
  tracerConfig,
})

/** Returns the options for the traces of a transaction with their locations in the chain. */
export const localizedTraces: TraceOptions = parity({})

/** Returns the options for the one trace at a position. */
export const traceAt = (position: number): TraceOptions => parity({ position })

/** The options for the traces of all transactions of a block in one list. */
export const blockTraces: TraceOptions = { ...localizedTraces, listing: 'elements' }

/** Returns the options for the traces of a block that match a filter. */
export const matchingTraces = ({
  fromAddresses,
  toAddresses,
  mode,
}: Pick<TraceFilter, 'fromAddresses' | 'toAddresses' | 'mode'>): TraceOptions => {
  const filter = { fromAddress: fromAddresses.map(toHex), toAddress: toAddresses.map(toHex), mode }
  return { ...parity({ filter }), listing: 'elements' }
}

/** Returns the config of the tracer for these kinds. */
export const toKindConfig = (kinds: readonly TraceKind[]): object => ({ kinds: [...kinds] })

export const kindTraces = (kinds: readonly TraceKind[]): TraceOptions => parity(toKindConfig(kinds))

/** Returns the options for these kinds of every transaction of a block, each with its hash. */
export const blockKindTraces = (kinds: readonly TraceKind[]): TraceOptions => ({
  ...parity({ ...toKindConfig(kinds), withHash: true }),
  listing: 'results',
})
