import { pruned } from '../../chain/chainError.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import type { TransactionPlace } from '../../chain/port/location.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import { CometView } from '../../cosmos/cometView.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import type { NativeReader } from '../../store/nativeRows.ts'
import { explainFault } from '../client/chainErrors.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { dialectOf } from '../families/families.ts'
import { encodeForMempool } from '../sending/encodeForMempool.ts'

interface GatewayCosmosViewDependencies {
  readonly facts: ChainFacts
  /** The replies of CometBFT as they came, checked. */
  readonly upstream: {
    block(height: number, signal: AbortSignal): Promise<unknown>
    blockResults(height: number, signal: AbortSignal): Promise<unknown>
  }
  readonly locate: (transactionHash: Uint8Array) => TransactionPlace | undefined
  readonly pooled: (transactionHash: Uint8Array) => PoolTransaction | undefined
  readonly native: Pick<NativeReader, 'placeOf'>
}

/** The native side of a chain behind a gateway. */
export const createGatewayCosmosView = (dependencies: GatewayCosmosViewDependencies): CosmosView => {
  const { facts, upstream, locate, pooled, native } = dependencies
  const explained = async (height: number, ask: () => Promise<unknown>): Promise<unknown> => {
    // Block 0 of a Perihelion chain: CometBFT begins with the one after it.
    if (height === 0) return undefined
    try {
      return await ask()
    } catch (error) {
      if (error instanceof NativeQueryError && error.fault === 'pruned')
        throw pruned(`no node keeps the native block ${height}: ${error.message}`)
      throw explainFault(error, height, facts.earliestBlock)
    }
  }
  return new CometView(facts.bech32Prefix, {
    locate,
    waiting: (hash) => {
      const found = pooled(hash)
      return found && encodeForMempool(found.raw, found.sender, dialectOf(facts))
    },
    place: (hash) => native.placeOf(hash),
    hashesIn: (bytes) => decodeContents(bytes)?.ethereum.map(({ hash }) => hash) ?? [],
    block: (height, signal) => explained(height, () => upstream.block(height, signal)),
    blockResults: (height, signal) => explained(height, () => upstream.blockResults(height, signal)),
  })
}
