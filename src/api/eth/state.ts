import { toBigInt } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { AccountProof } from '../../chain/port/state.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { mapMaybePromise, readState } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { Address, Bytes32, Data } from '../wire/data.ts'
import { alice, bob, contract, emptyCodeHashHex, emptyRoot, proof, zeroWord } from '../wire/exampleValues.ts'
import { Quantity, Uint64 } from '../wire/quantity.ts'
import { AccountInfo, AccountOrNull, Proof, StorageValues } from '../wire/results.ts'
import { StoragePosition, type StorageSlot } from '../wire/storage.ts'
import { StorageKeys, StorageRequests } from '../wire/storageRequests.ts'

const address = param('address', Address, 'The account or contract.')
const block = optionalParam('block', Block, 'The block whose state is read; latest when missing.')

/** Returns the key as geth shows it: one of 32 bytes as it was given, a shorter one in the shortest form. */
const echoKey = ({ slot, given }: StorageSlot): string =>
  given.length === 66 ? given : toQuantity(toBigInt(slot))

const proofResult = (address: Uint8Array, keys: readonly StorageSlot[], found: AccountProof) => ({
  address: toHex(address),
  accountProof: found.accountProof.map(toHex),
  balance: toQuantity(found.balance),
  codeHash: toHex(found.codeHash),
  nonce: toQuantity(found.nonce),
  storageHash: toHex(found.storageRoot),
  storageProof: found.storageProof.map(({ value, proof: nodes }, position) => ({
    key: echoKey(keys[position] as StorageSlot), // one proof for each key
    value: toQuantity(value),
    proof: nodes.map(toHex),
  })),
  ...(found.proofType === undefined ? {} : { proofType: found.proofType }),
})

export const stateMethods = [
  servedMethod({
    name: 'eth_getBalance',
    summary: 'Gives the balance of an account in wei.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, block],
    result: { name: 'balance', type: Quantity },
    examples: [{ name: 'a development account', params: [alice, 'latest'], result: '0x21e19e0c9bab2400000' }],
    handler: ([address, at], { chain }) => readState(chain, at, (state) => state.balance(address)),
  }),
  servedMethod({
    name: 'eth_getStorageAt',
    summary: 'Gives the 32 bytes at a position of a contract’s storage.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, param('position', StoragePosition, 'The storage slot.'), block],
    result: { name: 'value', type: Bytes32 },
    examples: [{ name: 'an unset slot', params: [contract, '0x0', 'latest'], result: zeroWord }],
    handler: ([address, { slot }, at], { chain }) =>
      readState(chain, at, (state) => state.storage(address, slot)),
  }),
  servedMethod({
    name: 'eth_getStorageValues',
    summary: 'Gives the values of many storage slots of many accounts at once; at most 1024 slots.',
    work: 'state',
    belowFork: { kind: 'state', param: 'block' },
    params: [param('requests', StorageRequests, 'The slots wanted, by account.'), block],
    result: { name: 'values', type: StorageValues },
    examples: [
      {
        name: 'an unset slot',
        params: [{ [contract]: ['0x0'] }, 'latest'],
        result: { [contract]: [zeroWord] },
      },
    ],
    handler: async ([requests, at], { chain }) => {
      const state = await readState(chain, at, (found) => found)
      const values: Record<string, string[]> = {}
      for (const { address, slots } of requests) {
        const words = await Promise.all(slots.map((slot) => state.storage(address, slot)))
        values[toHex(address)] = words.map(toHex)
      }
      return values
    },
  }),
  servedMethod({
    name: 'eth_getTransactionCount',
    summary: 'Gives the nonce of an account: how many transactions it has sent.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, block],
    result: { name: 'nonce', type: Uint64 },
    examples: [{ name: 'after one transfer', params: [alice, 'latest'], result: '0x1' }],
    handler: ([address, at], { chain }) =>
      // Transactions in the pool count as sent, even if the next block has no room for them.
      at?.kind === 'tag' && at.tag === 'pending'
        ? chain.pool.nextNonce(address)
        : readState(chain, at, (state) => state.nonce(address)),
  }),
  servedMethod({
    name: 'eth_getCode',
    summary: 'Gives the code of a contract; no bytes for other accounts.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, block],
    result: { name: 'code', type: Data },
    examples: [{ name: 'an account without code', params: [alice, 'latest'], result: '0x' }],
    handler: ([address, at], { chain }) => readState(chain, at, (state) => state.code(address)),
  }),
  servedMethod({
    name: 'eth_getAccount',
    summary: 'Gives an account as the state trie holds it, or null where there is none.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, block],
    result: { name: 'account', type: AccountOrNull },
    examples: [
      {
        name: 'after one transfer',
        params: [alice, 'latest'],
        result: {
          balance: '0x21e0bffef3755f8aa00',
          nonce: '0x1',
          codeHash: emptyCodeHashHex,
          storageRoot: emptyRoot,
        },
      },
    ],
    handler: ([address, at], { chain }) =>
      readState(chain, at, (state) =>
        mapMaybePromise(state.account(address), (account) =>
          account === undefined
            ? null
            : {
                balance: toQuantity(account.balance),
                nonce: toQuantity(account.nonce),
                codeHash: toHex(account.codeHash),
                storageRoot: toHex(account.storageRoot),
              },
        ),
      ),
  }),
  servedMethod({
    name: 'eth_getAccountInfo',
    summary: 'Gives balance, nonce and code of an account at once.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, block],
    result: { name: 'account', type: AccountInfo },
    examples: [
      {
        name: 'after one transfer',
        params: [alice, 'latest'],
        result: { balance: '0x21e0bffef3755f8aa00', nonce: '0x1', code: '0x' },
      },
    ],
    handler: async ([address, at], { chain }) => {
      const state = await readState(chain, at, (found) => found)
      const [balance, nonce, code] = await Promise.all([
        state.balance(address),
        state.nonce(address),
        state.code(address),
      ])
      return { balance: toQuantity(balance), nonce: toQuantity(nonce), code: toHex(code) }
    },
  }),
  servedMethod({
    name: 'eth_getProof',
    summary: 'Proves an account and some of its storage against the state root (EIP-1186).',
    work: 'state',
    belowFork: { kind: 'refused', needs: 'root' },
    params: [address, param('storageKeys', StorageKeys, 'The storage slots to prove; at most 1024.'), block],
    result: { name: 'proof', type: Proof },
    examples: [{ name: 'an account', params: [bob, [], 'latest'], result: proof }],
    handler: ([address, keys, at], { chain }) =>
      readState(chain, at, (state) =>
        mapMaybePromise(
          state.prove(
            address,
            keys.map(({ slot }) => slot),
          ),
          (found) => proofResult(address, keys, found),
        ),
      ),
  }),
]
