import { sha256 } from '../../base/crypto/crypto.ts'
import { compareBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import type { ProvenValue } from '../../comet/data/nativeQuery.ts'
import {
  climb,
  commonSteps,
  decodeExistence,
  type ExistenceProof,
  iavlTree,
  type Side,
  simpleTree,
} from './existenceProof.ts'
import { ProofError, ProofFields } from './proofFields.ts'

/** The longest proof of one tree, in bytes: neighbours of a missing key come with their values, which may be contracts. */
const maxProofBytes = 1_048_576
/** The root of a tree without leaves. */
const emptyRoot = sha256()

const single = (data: Uint8Array): { readonly exists: boolean; readonly proof: Uint8Array } => {
  if (data.length > maxProofBytes) throw new ProofError('it is too long')
  const fields = new ProofFields(data, 1)
  const [field] = fields.numbers()
  // Batches and compressed proofs are of others: nodes give one proof for one key.
  if (field !== 1 && field !== 2)
    throw new ProofError('it proves neither that a key is there nor that it is not')
  return { exists: field === 1, proof: fields.bytes(field) }
}

/** Returns the root of the tree in which a key has this value. */
const rootWith = (proof: ExistenceProof, key: Uint8Array, value: Uint8Array, tree = iavlTree): Uint8Array => {
  if (!equalBytes(proof.key, key)) throw new ProofError('it is for another key')
  if (!equalBytes(proof.value, value)) throw new ProofError('it is for another value')
  return climb(proof, tree).root
}

const areAll = (sides: readonly Side[], side: Side): boolean => sides.every((one) => one === side)

/** Returns the root of the tree in which a key is missing: its neighbours are there, and nothing is between them. */
const rootWithout = (bytes: Uint8Array, key: Uint8Array): Uint8Array => {
  const fields = new ProofFields(bytes, 3)
  if (!equalBytes(fields.bytes(1), key)) throw new ProofError('it is for another key')
  const [leftBytes, rightBytes] = [fields.message(2), fields.message(3)]
  const left = leftBytes && decodeExistence(leftBytes)
  const right = rightBytes && decodeExistence(rightBytes)
  if (left && compareBytes(left.key, key) >= 0)
    throw new ProofError('its left neighbour is not before the key')
  if (right && compareBytes(right.key, key) <= 0)
    throw new ProofError('its right neighbour is not after the key')
  const before = left && climb(left, iavlTree)
  const after = right && climb(right, iavlTree)
  if (!before || !after) {
    if (before && !areAll(before.sides, 'right'))
      throw new ProofError('its left neighbour is not the last key')
    if (after && !areAll(after.sides, 'left'))
      throw new ProofError('its right neighbour is not the first key')
    return before?.root ?? after?.root ?? emptyRoot
  }
  if (!equalBytes(before.root, after.root)) throw new ProofError('its neighbours are of two trees')
  // Where the ways from the root part, one goes left and the other right; below, both keep to the inside.
  const common = commonSteps(left, right)
  const [leftAt, rightAt] = [left.path.length - 1 - common, right.path.length - 1 - common]
  const areNeighbours =
    before.sides[leftAt] === 'left' &&
    after.sides[rightAt] === 'right' &&
    areAll(before.sides.slice(0, leftAt), 'right') &&
    areAll(after.sides.slice(0, rightAt), 'left')
  if (!areNeighbours) throw new ProofError('its neighbours are not adjacent')
  return before.root
}

/**
 * Throws a `ProofError` unless a key of a store has this value (empty: is not there) in the state that an AppHash commits
 * to: the first proof leads from the key to the root of the store, the second one from there to the AppHash.
 */
export const verifyStoreValue = (
  { value, operations }: Pick<ProvenValue, 'value' | 'operations'>,
  store: string,
  key: Uint8Array,
  appHash: Uint8Array,
): void => {
  const [inStore, inMultistore] = operations
  if (!inStore || !inMultistore || operations.length !== 2) throw new ProofError('it has not two parts')
  if (inStore.type !== 'ics23:iavl' || inMultistore.type !== 'ics23:simple')
    throw new ProofError('it is of another kind')
  const { exists, proof } = single(inStore.data)
  if (exists !== value.length > 0) throw new ProofError('it is for another value')
  const storeRoot = exists ? rootWith(decodeExistence(proof), key, value) : rootWithout(proof, key)
  const outer = single(inMultistore.data)
  if (!outer.exists) throw new ProofError('it proves that the store is not there')
  const root = rootWith(decodeExistence(outer.proof), encodeUtf8(store), storeRoot, simpleTree)
  if (!equalBytes(root, appHash)) throw new ProofError('it leads to another AppHash')
}
