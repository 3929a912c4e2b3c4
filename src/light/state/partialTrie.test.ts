import { expect, test } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { encodeAccountLeaf } from '../../chain/state/accountLeaf.ts'
import type { AccountChange } from '../../chain/state/evmState.ts'
import { rootAfter } from './partialTrie.ts'
import { noAccount } from './trieValue.ts'

const account = { ...noAccount, nonce: 1n, balance: 5n }
const none = new Uint8Array(0)
const addressOf = (index: number): Uint8Array => new Uint8Array(20).fill(index)
const slotOf = (index: number): Uint8Array => new Uint8Array(32).fill(index)

/** Keys whose paths begin with different digits, so that a branch is their root. */
const apart = (keyOf: (index: number) => Uint8Array): readonly [Uint8Array, Uint8Array, Uint8Array] => {
  const found = new Map<number, Uint8Array>()
  for (let index = 1; found.size < 3; index++) found.set(digitOf(keyOf(index)), keyOf(index))
  return [...found.values()] as [Uint8Array, Uint8Array, Uint8Array]
}
const digitOf = (key: Uint8Array): number => (keccak256(key)[0] as number) >> 4

const leaf = (key: Uint8Array, value: Uint8Array): Uint8Array => {
  const path = keccak256(key)
  path[0] = 0x30 | ((path[0] as number) & 15)
  return encodeRlp([path, value])
}

/** A branch of two leaves, of which only the first one's node is known. */
const halfKnown = (first: Uint8Array, second: Uint8Array, value: Uint8Array) => {
  const children: Uint8Array[] = new Array(17).fill(none)
  for (const key of [first, second]) children[digitOf(key)] = keccak256(leaf(key, value))
  const branch = encodeRlp(children)
  const nodes = new Map([branch, leaf(first, value)].map((node) => [toHex(keccak256(node)), node]))
  return { root: keccak256(branch), nodes }
}

test('an account that goes needs nothing of its neighbour where another one comes', () => {
  const [gone, neighbour, come] = apart(addressOf)
  const { root, nodes } = halfKnown(gone, neighbour, encodeAccountLeaf(account))
  const change = (address: Uint8Array, isThere: boolean): AccountChange => ({
    address,
    account: isThere ? account : undefined,
    storageCleared: false,
    storage: [],
  })
  const accounts = [change(gone, false), change(come, true)]
  const after = rootAfter((hash) => nodes.get(toHex(hash)), root, { accounts })
  const made = rootAfter(() => undefined, emptyTrieRoot, {
    accounts: [change(neighbour, true), change(come, true)],
  })
  expect(toHex(after)).toBe(toHex(made))
  expect(() =>
    rootAfter((hash) => nodes.get(toHex(hash)), root, { accounts: [change(gone, false)] }),
  ).toThrow(expect.objectContaining({ name: 'MissingTrieNode' }))
})

test('a slot that is cleared needs nothing of its neighbour where another one is set', () => {
  const [gone, neighbour, come] = apart(slotOf)
  const one = new Uint8Array(32).fill(1)
  const slots = halfKnown(gone, neighbour, encodeRlp(one))
  const address = addressOf(1)
  const path = keccak256(address)
  const only = encodeRlp([
    new Uint8Array([0x20, ...path]),
    encodeAccountLeaf({ ...account, storageRoot: slots.root }),
  ])
  const nodes = new Map([...slots.nodes, [toHex(keccak256(only)), only]])
  const change = (storage: AccountChange['storage'], storageCleared: boolean) => ({
    accounts: [{ address, account, storageCleared, storage }],
  })
  const after = rootAfter(
    (hash) => nodes.get(toHex(hash)),
    keccak256(only),
    change(
      [
        [gone, new Uint8Array(32)],
        [come, one],
      ],
      false,
    ),
  )
  const both: AccountChange['storage'] = [
    [neighbour, one],
    [come, one],
  ]
  expect(toHex(after)).toBe(toHex(rootAfter(() => undefined, emptyTrieRoot, change(both, true))))
})
