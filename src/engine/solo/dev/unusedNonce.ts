import { toHex } from '../../../base/encoding/hex.ts'
import { refused } from '../../../chain/chainError.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'

/** Throws for a nonce that a transaction of the chain has used: one more with it would be told apart by nothing. */
export const assertNonceUnused = (
  blocks: Pick<BlockStoreReader, 'firstNonceFrom'>,
  address: Uint8Array,
  nonce: bigint,
): void => {
  const used = blocks.firstNonceFrom(address, nonce)
  if (used !== undefined)
    throw refused(
      `the chain has a transaction of ${toHex(address)} with nonce ${used}: its nonce cannot be set back to ${nonce}`,
    )
}
