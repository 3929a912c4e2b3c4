import { createLogger } from '../../../src/base/logging/log.ts'
import type { Chain } from '../../../src/chain/port/chain.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type NativeQueryErrorKind,
} from '../../../src/comet/data/nativeQuery.ts'
import {
  createQueryHandler,
  type QueryHandler,
  type QueryOptions,
} from '../../../src/engine/cometbft/queries/queryHandler.ts'

/** What is slow because the machine is busy is not what tests are about. */
const patient: QueryOptions = { timeoutMs: 120_000 }

export const handlerOf = (chain: Chain, options = patient): QueryHandler =>
  createQueryHandler(options, { chain, minimumGasPrice: 7n }, createLogger('silent'))

const faults: Readonly<Record<number, NativeQueryErrorKind>> = {
  6: 'unknown path',
  26: 'future height',
  38: 'pruned',
}

/** A node's own handler in place of the way through CometBFT. */
export const inProcessQueries = (handler: QueryHandler): NativeQueryClient => {
  const ask = async (path: string, data: Uint8Array, height: number | undefined, prove: boolean) => {
    const answer = await handler({
      $typeName: 'perihelion.abci.v1.QueryRequest',
      path,
      data,
      height: BigInt(height ?? 0),
      prove,
    })
    if (answer.code) throw new NativeQueryError(faults[answer.code] ?? 'refused', answer.log ?? '')
    return answer
  }
  return {
    query: async (path, request, height) =>
      (await ask(path, request, height, false)).value ?? new Uint8Array(0),
    prove: async (store, key, height) => {
      const { value, proofOps } = await ask(`/store/${store}/key`, key, height, true)
      return {
        value: value ?? new Uint8Array(0),
        height,
        operations: (proofOps?.ops ?? []).map(({ type = '', key: of, data }) => ({
          type,
          key: of ?? new Uint8Array(0),
          data: data ?? new Uint8Array(0),
        })),
      }
    },
  }
}
