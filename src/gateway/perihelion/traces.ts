import { unsupported } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { TransactionPlace } from '../../chain/port/location.ts'
import type { TraceOptions, Traces } from '../../chain/port/traces.ts'
import { heldText } from '../../chain/trace/longText.ts'
import {
  blockNotFound,
  notTraceable,
  pendingNotTraceable,
  transactionNotFound,
} from '../../chain/trace/refusals.ts'
import { encodeJson } from '../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { tracedCall, traceOptions } from '../../cosmos/queries/questions.ts'
import type { NativeQueries } from '../client/nativeQueries.ts'
import { queryPerihelionNode, toPlaceMessage } from './client.ts'

export interface PerihelionTracesDependencies {
  readonly queries: NativeQueries
  /** Where a block stands, of those that the gateway serves. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly locate: (transactionHash: Uint8Array) => TransactionPlace | undefined
}

/** Traces that a Perihelion node makes. */
export const createPerihelionTraces = ({
  queries,
  resolve,
  locate,
}: PerihelionTracesDependencies): Traces => {
  const heightOf = (at: BlockRef): number => {
    const height = resolve(at)
    if (typeof height === 'number') return height
    throw blockNotFound(at)
  }
  const traceable = (at: BlockRef): number => {
    const height = heightOf(at)
    if (height === 0) throw notTraceable()
    return height
  }
  const encoded = (options: TraceOptions): Uint8Array => encodeJson(traceOptions, options)
  const placeAt = (block: number) => toPlaceMessage({ block })

  return {
    transaction: async (hash, options, signal) => {
      const place = locate(hash)
      if (place === undefined) throw transactionNotFound()
      const request = { hash, options: encoded(options) }
      const below = place.number - 1
      return heldText(
        (await queryPerihelionNode(queries, perihelionQueries.traceTransaction, request, below, signal)).json,
      )
    },

    block: async (at, options, signal) => {
      const number = traceable(at)
      const request = { place: placeAt(number), options: encoded(options) }
      return heldText(
        (await queryPerihelionNode(queries, perihelionQueries.traceBlock, request, number - 1, signal)).json,
      )
    },

    encodedBlock: async (rlp, options, signal) => {
      const request = { rlp, options: encoded(options) }
      return heldText(
        (await queryPerihelionNode(queries, perihelionQueries.traceEncodedBlock, request, undefined, signal))
          .json,
      )
    },

    call: async (call, at, options, signal) => {
      if (resolve(at) === 'pending') throw pendingNotTraceable()
      const number = heightOf(at)
      const request = {
        place: placeAt(number),
        question: encodeJson(tracedCall, call),
        options: encoded(options),
      }
      return heldText(
        (await queryPerihelionNode(queries, perihelionQueries.traceCall, request, number, signal)).json,
      )
    },

    intermediateRoots: async (at, signal) => {
      const number = traceable(at)
      const request = { place: placeAt(number) }
      return (
        await queryPerihelionNode(queries, perihelionQueries.intermediateRoots, request, number - 1, signal)
      ).roots
    },

    blockToFiles: async () => {
      throw unsupported(
        'traces are not written to files by a gateway: ask debug_traceBlockByNumber, or the node itself',
      )
    },
  }
}
