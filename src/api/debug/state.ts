import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { toIndex } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { Block, BlockNumber } from '../wire/block.ts'
import { Address } from '../wire/data.ts'
import { StateDump, StorageRange, TrieKey } from '../wire/dump.ts'
import { alice, blockHash, contract, stateDump } from '../wire/exampleValues.ts'
import { wholeNumber } from '../wire/quantity.ts'
import { dumpState, maxAccounts } from './dump.ts'

const count = (about: string) =>
  param('maxResults', plainType(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number')), about)

/** The maximum number of slots in one response. */
const maxSlots = 1024

const clampLimit = (requested: number, maximum: number): number =>
  requested === 0 || requested > maximum ? maximum : requested

/** Throws unless the block has a transaction at the index; index 0 is valid in an empty block too. */
const checkIndex = ({ blocks }: Chain, number: number, index: number): void => {
  const transactions = blocks.transactionCount(number) ?? 0
  if (index < transactions || (index === 0 && transactions === 0)) return
  const hash = toHex(blocks.hash(number) ?? new Uint8Array(32))
  throw callFailed(`transaction index ${index} out of range for block ${hash}`)
}

export const debugStateMethods = [
  publicMethod({
    name: 'debug_dumpBlock',
    summary: 'Gives the state after a block, accounts with code and storage; at most 256 accounts.',
    work: 'state',
    belowFork: { kind: 'refused', needs: 'accounts' },
    params: [param('block', BlockNumber, 'Height or tag of the block.')],
    result: { name: 'state', type: StateDump },
    examples: [{ name: 'the first of the accounts', params: ['latest'], result: stateDump }],
    handler: async ([block], { chain }, { signal }) =>
      dumpState(
        await chain.state(block),
        { start: new Uint8Array(32), limit: maxAccounts, withCode: true, withStorage: true },
        signal,
      ),
  }),
  publicMethod({
    name: 'debug_accountRange',
    summary: 'Gives accounts of the state after a block in the order of their hashed addresses, 256 at most.',
    work: 'state',
    belowFork: { kind: 'refused', needs: 'accounts' },
    params: [
      param('block', Block, 'The block whose state is read.'),
      param('start', TrieKey, 'The hashed address to begin at; `next` of the previous response.'),
      count('The most accounts wanted; 0 for as many as there may be.'),
      optionalParam('withoutCode', Flag, 'true leaves code out.'),
      optionalParam('withoutStorage', Flag, 'true leaves storage out.'),
      optionalParam('incompletes', Flag, 'Ignored: every address is known here.'),
    ],
    result: { name: 'state', type: StateDump },
    examples: [{ name: 'one account', params: ['latest', '0x', 1, true, true], result: stateDump }],
    handler: async ([block, start, limit, withoutCode, withoutStorage], { chain }, { signal }) =>
      dumpState(
        await chain.state(block),
        {
          start,
          limit: clampLimit(limit, maxAccounts),
          withCode: withoutCode !== true,
          withStorage: withoutStorage !== true,
        },
        signal,
      ),
  }),
  servedMethod({
    name: 'debug_storageRangeAt',
    summary:
      'Gives storage of a contract as a transaction of a block found it, in the order of hashed slots.',
    work: 'state',
    belowFork: { kind: 'refused', needs: 'accounts' },
    params: [
      param('block', Block, 'The block of the transaction.'),
      param(
        'index',
        plainType(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number')),
        'Position of the transaction, from 0.',
      ),
      param('address', Address, 'The contract.'),
      param('start', TrieKey, 'The hashed slot to begin at; `nextKey` of the previous response.'),
      count('The most slots wanted, 1024 at most; 0 for as many as there may be.'),
    ],
    result: { name: 'range', type: StorageRange },
    examples: [
      {
        name: 'nothing stored',
        params: [blockHash, 0, contract, '0x', 10],
        result: { storage: {}, nextKey: null },
      },
      {
        name: 'an account without code',
        params: ['0x1', 0, alice, '0x', 10],
        result: { storage: {}, nextKey: null },
      },
    ],
    handler: async ([block, index, address, start, limit], { chain }, { signal }) => {
      const number = chain.blocks.resolve(block)
      if (typeof number !== 'number') throw callFailed('header not found')
      checkIndex(chain, number, index)
      const state = await chain.executor.stateBefore({ number, index: toIndex(BigInt(index)) }, signal)
      const { slots, next } = await state.slots(address, start, clampLimit(limit, maxSlots))
      const entries = slots.map(({ hashedSlot, slot, value }) => [
        toHex(hashedSlot),
        { key: toHex(slot), value: toHex(value) },
      ])
      return { storage: Object.fromEntries(entries), nextKey: next === undefined ? null : toHex(next) }
    },
  }),
]
