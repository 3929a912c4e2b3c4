import { headerHash } from '../chain/block/header.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'

/** The hash of the block that a genesis begins with; nothing is written for it. */
export const genesisHashOf = (genesis: Genesis): Uint8Array => {
  const accounts = new InMemoryState([])
  accounts.apply(genesis.changes)
  return headerHash(genesis.header(accounts.stateRoot()))
}
