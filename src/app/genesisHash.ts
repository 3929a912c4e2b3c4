import { headerHash } from '../chain/block/header.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { MemoryWorld } from '../evm/stateTest/memoryWorld.ts'

/** The hash of the block that a genesis begins with; nothing is written for it. */
export const genesisHashOf = (genesis: Genesis): Uint8Array => {
  const accounts = new MemoryWorld([])
  accounts.apply(genesis.changes)
  return headerHash(genesis.header(accounts.stateRoot()))
}
