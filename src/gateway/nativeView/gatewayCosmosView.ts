import { pruned } from '../../chain/chainError.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import { toValidatorJson } from '../../comet/data/cometJson.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { NodeValidator } from '../../comet/data/replies.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { CometCosmosView } from '../../cosmos/cometCosmosView.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import { dialectOf } from '../../families/families.ts'
import { toChainError } from '../../families/queries/chainErrors.ts'
import type { NativeBlockReader } from '../../store/nativeRows.ts'
import { encodeForMempool } from '../sending/encodeForMempool.ts'

interface GatewayCosmosViewDependencies {
  readonly chainInfo: ChainInfo
  /** The replies of CometBFT, checked but unchanged. */
  readonly upstream: {
    block(height: number, signal: AbortSignal): Promise<unknown>
    blockResults(height: number, signal: AbortSignal): Promise<unknown>
    signedHeader(height: number, signal: AbortSignal): Promise<unknown>
    validators(height: number, signal: AbortSignal): Promise<readonly NodeValidator[]>
  }
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
  readonly pooled: (transactionHash: Uint8Array) => PoolTransaction | undefined
  readonly native: Pick<NativeBlockReader, 'locate'>
}

/** Creates the Cosmos view of the chain behind a gateway. */
export const createGatewayCosmosView = (dependencies: GatewayCosmosViewDependencies): CosmosView => {
  const { chainInfo, upstream, locate, pooled, native } = dependencies
  const asChainError = async <Reply>(
    height: number,
    fetch: () => Promise<Reply>,
  ): Promise<Reply | undefined> => {
    // CometBFT has no block for block 0 of a Perihelion chain.
    if (height === 0) return undefined
    try {
      return await fetch()
    } catch (error) {
      if (error instanceof NativeQueryError && error.kind === 'pruned')
        throw pruned(`no node keeps the native block ${height}: ${error.message}`)
      throw toChainError(error, height, chainInfo.earliestBlock)
    }
  }
  return new CometCosmosView(chainInfo.bech32Prefix, {
    locate,
    pooledNative: (hash) => {
      const found = pooled(hash)
      return found && encodeForMempool(found.raw, found.sender, dialectOf(chainInfo))
    },
    locateNative: (hash) => native.locate(hash),
    decodeHashes: (bytes) => decodeContents(bytes)?.ethereum.map(({ hash }) => hash) ?? [],
    block: (height, signal) => asChainError(height, () => upstream.block(height, signal)),
    blockResults: (height, signal) => asChainError(height, () => upstream.blockResults(height, signal)),
    signedHeader: (height, signal) => asChainError(height, () => upstream.signedHeader(height, signal)),
    validators: async (height, signal) =>
      (await asChainError(height, () => upstream.validators(height, signal)))?.map(toValidatorJson),
  })
}
