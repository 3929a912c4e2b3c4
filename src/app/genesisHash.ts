import { headerHash } from '../chain/block/header.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'

/** Returns the hash of the genesis block without writing anything. */
export const genesisHashOf = (genesis: Genesis): Uint8Array => {
  const accounts = new InMemoryState([])
  accounts.apply(genesis.changes)
  return headerHash(genesis.header(accounts.stateRoot()))
}
