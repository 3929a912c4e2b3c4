import { equalBytes } from '../base/encoding/bytes.ts'
import { headerHash } from '../chain/block/header.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'

/** Returns the hash of the genesis block without writing anything. */
export const genesisHashOf = (genesis: Genesis): Uint8Array => {
  const accounts = new InMemoryState([])
  accounts.apply(genesis.changes)
  return headerHash(genesis.header(accounts.stateRoot()))
}

export interface GenesisOfChain {
  readonly genesis: Genesis
  readonly hash: Uint8Array
}

/**
 * Returns a genesis as the version made it that began a chain: a file without the contracts of validators gives another
 * first block since chains commit to all their rules. A genesis of another chain is returned as it is.
 */
export const genesisOfChain = (genesis: Genesis, genesisHash: Uint8Array): GenesisOfChain => {
  const hash = genesisHashOf(genesis)
  const changes = equalBytes(hash, genesisHash) ? undefined : genesis.changesWithoutRules?.()
  if (changes === undefined) return { genesis, hash }
  const older = { ...genesis, changes }
  return equalBytes(genesisHashOf(older), genesisHash)
    ? { genesis: older, hash: genesisHash }
    : { genesis, hash }
}
