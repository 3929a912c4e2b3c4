import { keccak256 } from '../../../base/crypto/crypto.ts'
import { unavailable } from '../../../chain/chainError.ts'
import type { CosmosView } from '../../../chain/port/cosmos.ts'
import type { TransactionLocation } from '../../../chain/port/location.ts'
import { toValidatorJson } from '../../../comet/data/cometJson.ts'
import { CometError } from '../../../comet/data/replyEnvelope.ts'
import { CometCosmosView } from '../../../cosmos/cometCosmosView.ts'
import { bech32Prefix } from '../../../cosmos/denom.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { unwrapTransaction } from '../../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import type { EngineRpcClient } from '../rpcClient.ts'
import { NativeHashIndex } from './nativeHashIndex.ts'

interface CosmosViewDependencies {
  readonly rpc: Pick<EngineRpcClient, 'block' | 'blockResults' | 'locate' | 'signedHeader' | 'validators'>
  readonly blocks: BlockStoreReader
  readonly pool: TransactionPool
  readonly head: () => number
}

/** Creates the native view of a Perihelion chain from the node's engine. */
export const createCosmosView = ({ rpc, blocks, pool, head }: CosmosViewDependencies): CosmosView => {
  const index = new NativeHashIndex({ blocks, head })

  /** Returns the location among the engine's transactions, which start with the proposer entry. */
  const location = async (
    nativeHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<TransactionLocation | undefined> => {
    const indexedLocation = await index.find(nativeHash, signal)
    if (indexedLocation === undefined) return asChainError(rpc.locate(nativeHash))
    const hash = blocks.rawTransaction(indexedLocation.number, indexedLocation.index)
    const reply = (await asChainError(rpc.block(indexedLocation.number))) as NativeReply | undefined
    const txs = reply?.block?.data?.txs ?? []
    const found = txs.findIndex((tx) => {
      const { native } = unwrapTransaction(Buffer.from(tx, 'base64'), perihelionDialect)
      return native !== undefined && hash !== undefined && Buffer.compare(native.raw, hash) === 0
    })
    return found < 0 ? undefined : { number: indexedLocation.number, index: found }
  }

  return new CometCosmosView(bech32Prefix, {
    locate: (hash) => blocks.locate(hash),
    pooledNative: (hash) => {
      const found = pool.get(hash)
      return (
        found &&
        wrapTransaction(
          { transaction: found.transaction, raw: found.raw, from: found.sender },
          perihelionDialect,
        )
      )
    },
    locateNative: location,
    decodeHashes: (bytes) => {
      const { native } = unwrapTransaction(bytes, perihelionDialect)
      return native ? [keccak256(native.raw)] : []
    },
    // The engine has no genesis block; only the application has.
    block: async (height) => (height < 1 ? undefined : asChainError(rpc.block(height))),
    blockResults: async (height) => (height < 1 ? undefined : asChainError(rpc.blockResults(height))),
    signedHeader: async (height) => (height < 1 ? undefined : asChainError(rpc.signedHeader(height))),
    validators: async (height) =>
      height < 1 ? undefined : (await asChainError(rpc.validators(height)))?.map(toValidatorJson),
  })
}

interface NativeReply {
  readonly block?: { readonly data?: { readonly txs?: readonly string[] } }
}

const asChainError = async <T>(reply: Promise<T>): Promise<T> => {
  try {
    return await reply
  } catch (error) {
    if (error instanceof CometError) throw unavailable(`CometBFT: ${error.message}`)
    throw unavailable(`CometBFT does not answer: ${(error as Error).message}`)
  }
}
