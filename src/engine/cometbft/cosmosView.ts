import { keccak256 } from '../../base/crypto.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import type { TransactionPlace } from '../../chain/port/location.ts'
import { CometView } from '../../cosmos/cometView.ts'
import { bech32Prefix } from '../../cosmos/denom.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { unwrapTransaction } from '../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { BlockReader } from '../../store/blockReader.ts'
import { NativeIndex } from './nativeIndex.ts'
import { type EngineRpc, EngineRpcError } from './rpcClient.ts'

interface CometCosmosDependencies {
  readonly rpc: Pick<EngineRpc, 'block' | 'blockResults' | 'placeOf'>
  readonly blocks: BlockReader
  readonly pool: TransactionPool
  readonly head: () => number
}

/** The native side of a chain of our own, from the engine beside this node. */
export const createCosmosView = ({ rpc, blocks, pool, head }: CometCosmosDependencies): CosmosView => {
  const index = new NativeIndex({ blocks, head })

  /** Its place among the engine's transactions: blocks begin with an entry of the proposer's. */
  const place = async (
    nativeHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<TransactionPlace | undefined> => {
    const own = await index.find(nativeHash, signal)
    if (own === undefined) return explained(rpc.placeOf(nativeHash))
    const hash = blocks.rawTransaction(own.number, own.index)
    const reply = (await explained(rpc.block(own.number))) as NativeReply | undefined
    const txs = reply?.block?.data?.txs ?? []
    const found = txs.findIndex((tx) => {
      const { native } = unwrapTransaction(Buffer.from(tx, 'base64'), perihelionDialect)
      return native !== undefined && hash !== undefined && Buffer.compare(native.raw, hash) === 0
    })
    return found < 0 ? undefined : { number: own.number, index: found }
  }

  return new CometView(bech32Prefix, {
    locate: (hash) => blocks.placeOf(hash),
    waiting: (hash) => {
      const found = pool.get(hash)
      return (
        found &&
        wrapTransaction(
          { transaction: found.transaction, raw: found.raw, from: found.sender },
          perihelionDialect,
        )
      )
    },
    place,
    hashesIn: (bytes) => {
      const { native } = unwrapTransaction(bytes, perihelionDialect)
      return native ? [keccak256(native.raw)] : []
    },
    // The first block is nobody's but the application's.
    block: async (height) => (height < 1 ? undefined : explained(rpc.block(height))),
    blockResults: async (height) => (height < 1 ? undefined : explained(rpc.blockResults(height))),
  })
}

interface NativeReply {
  readonly block?: { readonly data?: { readonly txs?: readonly string[] } }
}

const explained = async <T>(reply: Promise<T>): Promise<T> => {
  try {
    return await reply
  } catch (error) {
    if (error instanceof EngineRpcError) throw unavailable(`CometBFT: ${error.message}`)
    throw unavailable(`CometBFT does not answer: ${(error as Error).message}`)
  }
}
