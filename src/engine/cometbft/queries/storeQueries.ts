import { emptyBytes, fromBigInt } from '../../../base/encoding/bytes.ts'
import { encodeRlp } from '../../../base/encoding/rlp.ts'
import { encodeHeader } from '../../../chain/block/header.ts'
import { encodeAccountLeaf } from '../../../chain/state/accountLeaf.ts'
import { storeProofs } from '../../../cosmos/queries/storeProofs.ts'
import type { AbciResponse } from '../abci/messages.ts'
import { headerAtContext, type QueryContext, stateAtContext } from './query.ts'
import { sdkError } from './queryError.ts'

/**
 * Values by the keys that cosmos/evm has them under: `/store/acc/key` with 0x01 and an address, `/store/evm/key` with
 * 0x02, an address and a slot. An account is its leaf of the trie, a slot its 32 bytes, both empty where there is none.
 *
 * A proof is a list of operations, innermost first, whose last result is the AppHash in the engine's next header:
 * `perihelion:mpt` with an RLP list of trie nodes shows its key's value under a root (a slot under the storage root in
 * the account, the account under the state root in the header), `perihelion:header` with the header's RLP shows that
 * root under the header's hash.
 */
export const storeQuery = async (
  path: readonly string[],
  key: Uint8Array,
  isProven: boolean,
  context: QueryContext,
): Promise<AbciResponse<'query'>> => {
  const { address, slot } = parseStoreKey(path, key)
  const state = await stateAtContext(context)
  const proof = await state.prove(address, slot === undefined ? [] : [slot])
  const isThere = (await state.account(address)) !== undefined
  const [slotProof] = proof.storageProof
  const slotValue = slotProof?.value ?? 0n
  const leaf = isThere ? encodeAccountLeaf(proof) : emptyBytes
  const value = slot === undefined ? leaf : slotValue === 0n ? emptyBytes : fromBigInt(slotValue, 32)
  const { height } = context
  if (!isProven) return { key, value, height: BigInt(height) }
  const ops = [
    ...(slot === undefined ? [] : [operation(slot, slotProof?.proof ?? [])]),
    operation(address, proof.accountProof),
    {
      type: storeProofs.header,
      key: storeProofs.headerKey,
      data: encodeHeader(headerAtContext(context)),
    },
  ]
  return { key, value, height: BigInt(height), proofOps: { ops } }
}

const operation = (key: Uint8Array, nodes: readonly Uint8Array[]) => ({
  type: storeProofs.trie,
  key,
  data: encodeRlp(nodes),
})

const parseStoreKey = (
  [store, subpath]: readonly string[],
  key: Uint8Array,
): { readonly address: Uint8Array; readonly slot?: Uint8Array } => {
  if (store !== 'acc' && store !== 'evm')
    throw sdkError('unknownRequest', `no such store: ${(store ?? '').slice(0, 100)}`)
  if (subpath !== 'key')
    throw sdkError('unknownRequest', `unexpected query path: ${(subpath ?? '').slice(0, 100)}`)
  if (store === 'acc' && key.length === 21 && key[0] === 1) return { address: key.subarray(1) }
  if (store === 'evm' && key.length === 53 && key[0] === 2)
    return { address: key.subarray(1, 21), slot: key.subarray(21) }
  throw sdkError('invalidRequest', `no key of the store ${store}`)
}
