import { unsupported } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { TraceOptions, Tracing } from '../../chain/port/traces.ts'
import { toInMemoryJson } from '../../chain/trace/streamedJson.ts'
import {
  blockNotFoundError,
  genesisNotTraceableError,
  pendingHasNoWitnessError,
  pendingNotTraceableError,
  transactionNotFoundError,
} from '../../chain/trace/traceErrors.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import { encodeJson } from '../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { tracedCall, traceOptions } from '../../cosmos/queries/requestCodecs.ts'
import { queryPerihelionNode, toPlaceMessage } from './perihelionQueries.ts'

export interface PerihelionTracesDependencies {
  readonly queries: NativeQueryClient
  /** Resolves a block reference among the blocks that the gateway serves. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
}

/** Creates traces that a Perihelion node makes. */
export const createPerihelionTraces = ({
  queries,
  resolve,
  locate,
}: PerihelionTracesDependencies): Tracing => {
  const heightOf = (at: BlockRef): number => {
    const height = resolve(at)
    if (typeof height === 'number') return height
    throw blockNotFoundError(at)
  }
  const traceable = (at: BlockRef): number => {
    const height = heightOf(at)
    if (height === 0) throw genesisNotTraceableError()
    return height
  }
  const encoded = (options: TraceOptions): Uint8Array => encodeJson(traceOptions, options)
  const locationAt = (block: number) => toPlaceMessage({ block })

  return {
    transaction: async (hash, options, signal) => {
      const location = locate(hash)
      if (location === undefined) throw transactionNotFoundError()
      const request = { hash, options: encoded(options) }
      const below = location.number - 1
      return toInMemoryJson(
        (await queryPerihelionNode(queries, perihelionQueries.traceTransaction, request, below, signal)).json,
      )
    },

    block: async (at, options, signal) => {
      const number = traceable(at)
      const request = { place: locationAt(number), options: encoded(options) }
      return toInMemoryJson(
        (await queryPerihelionNode(queries, perihelionQueries.traceBlock, request, number - 1, signal)).json,
      )
    },

    encodedBlock: async (rlp, options, signal) => {
      const request = { rlp, options: encoded(options) }
      return toInMemoryJson(
        (await queryPerihelionNode(queries, perihelionQueries.traceEncodedBlock, request, undefined, signal))
          .json,
      )
    },

    call: async (call, at, options, signal) => {
      if (resolve(at) === 'pending') throw pendingNotTraceableError()
      const number = heightOf(at)
      const request = {
        place: locationAt(number),
        question: encodeJson(tracedCall, call),
        options: encoded(options),
      }
      return toInMemoryJson(
        (await queryPerihelionNode(queries, perihelionQueries.traceCall, request, number, signal)).json,
      )
    },

    intermediateRoots: async (at, signal) => {
      const number = traceable(at)
      const request = { place: locationAt(number) }
      return (
        await queryPerihelionNode(queries, perihelionQueries.intermediateRoots, request, number - 1, signal)
      ).roots
    },

    witness: async (at, signal) => {
      if (resolve(at) === 'pending') throw pendingHasNoWitnessError()
      const number = traceable(at)
      const request = { place: locationAt(number) }
      return toInMemoryJson(
        (await queryPerihelionNode(queries, perihelionQueries.executionWitness, request, number - 1, signal))
          .json,
      )
    },

    blockToFiles: async () => {
      throw unsupported(
        'traces are not written to files by a gateway: ask debug_traceBlockByNumber, or the node itself',
      )
    },
  }
}
