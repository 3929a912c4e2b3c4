import { beforeAll, describe, expect, it } from 'vitest'
import {
  account,
  address,
  begin,
  block,
  code,
  coinbase,
  contract,
  createTestMachine,
  sender,
  transact,
  transaction,
  word,
  worldOf,
  worldWithCode,
} from '../../../test/support/evm/support.ts'
import { concatBytes, toBigInt } from '../../base/encoding/bytes.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Evm } from '../evm.ts'
import type { TransactionFields } from '../types.ts'

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

const slot0 = new Uint8Array(32)

describe('transactions that no block may contain', () => {
  const blob = concatBytes(Uint8Array.of(1), new Uint8Array(31))
  const three = { type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [blob] } as const
  const cases: readonly (readonly [reason: string, fields: Partial<TransactionFields>, fork: Fork])[] = [
    ['type not supported', { type: 4 }, 'cancun'],
    ['type not supported', { type: 1 }, 'istanbul'],
    ['invalid chain id', { chainId: 2n }, 'osaka'],
    ['nonce too high', { nonce: 6n }, 'osaka'],
    ['nonce too low', { nonce: 4n }, 'osaka'],
    ['gas limit too high', { gasLimit: 16_777_217n }, 'osaka'],
    ['tip above fee cap', { maxPriorityFeePerGas: 11n }, 'osaka'],
    ['fee cap very high', { maxFeePerGas: 2n ** 256n }, 'osaka'],
    ['fee cap less than block base fee', { maxFeePerGas: 6n }, 'osaka'],
    ['blob transaction of create type', { ...three, to: undefined }, 'osaka'],
    ['missing blob hashes', { ...three, blobVersionedHashes: [] }, 'osaka'],
    ['too many blobs', { ...three, blobVersionedHashes: Array(7).fill(blob) }, 'osaka'],
    ['too many blobs', { ...three, blobVersionedHashes: Array(10).fill(blob) }, 'prague'],
    ['invalid blob hash version', { ...three, blobVersionedHashes: [word(0n)] }, 'osaka'],
    ['blob fee cap less than block blob base fee', { ...three, maxFeePerBlobGas: 0n }, 'osaka'],
    ['set code transaction of create type', { type: 4, to: undefined }, 'osaka'],
    ['empty authorization list', { type: 4 }, 'osaka'],
    ['insufficient funds for gas * price + value', { value: 10n ** 24n }, 'osaka'],
    ['intrinsic gas too low', { gasLimit: 20_999n }, 'osaka'],
    ['floor data gas too low', { data: new Uint8Array(1000).fill(1), gasLimit: 21_000n + 16_000n }, 'osaka'],
    ['max initcode size exceeded', { to: undefined, data: new Uint8Array(49_153) }, 'osaka'],
  ]

  it.each(cases)('%s', (reason, fields, fork) => {
    const state = worldOf(account(sender, { balance: 10n ** 24n, nonce: 5n }))
    const execution = begin(evm, state, fork)
    expect(execution.transact(transaction({ nonce: 5n, ...fields }), sender)).toEqual({
      valid: false,
      reason,
    })
    expect(execution.drainChanges()).toEqual({ accounts: [], code: [] })
  })

  it('senders with code, unless it is a delegation', () => {
    const delegation = concatBytes(code('ef0100'), contract)
    const state = (bytes: Uint8Array) => worldOf(account(sender, { balance: 10n ** 24n, code: bytes }))
    const rejected = { valid: false, reason: 'sender not an eoa' }
    expect(begin(evm, state(code('00'))).transact(transaction(), sender)).toEqual(rejected)
    expect(begin(evm, state(delegation), 'cancun').transact(transaction(), sender)).toEqual(rejected)
    expect(begin(evm, state(delegation)).transact(transaction(), sender).valid).toBe(true)
  })

  it('what the block has no gas left for', () => {
    const execution = begin(evm, worldWithCode('00'))
    const rejected = { valid: false, reason: 'gas limit reached' }
    expect(execution.transact(transaction(), sender, { gasAvailable: 999_999n })).toEqual(rejected)
    expect(execution.transact(transaction(), sender, { gasAvailable: 1_000_000n }).valid).toBe(true)
  })

  it('a nonce at its end', () => {
    const state = worldOf(account(sender, { balance: 10n ** 24n, nonce: 2n ** 64n - 1n }))
    const result = begin(evm, state).transact(transaction({ nonce: 2n ** 64n - 1n }), sender)
    expect(result).toEqual({ valid: false, reason: 'nonce has max value' })
  })
})

describe('what a transaction costs', () => {
  it('pays the tip to the beneficiary and burns the base fee', () => {
    const execution = begin(evm, worldWithCode('00'))
    const result = transact(execution, { value: 5n })
    expect(result).toMatchObject({ gasUsed: 21_000n, effectiveGasPrice: 9n, success: true })
    expect(execution.evmState.account(sender)).toMatchObject({
      nonce: 1n,
      balance: 10n ** 24n - 21_000n * 9n - 5n,
    })
    expect(execution.evmState.account(coinbase)?.balance).toBe(21_000n * 2n)
    expect(execution.evmState.account(contract)?.balance).toBe(5n)
  })

  it('gives back at most a fifth for cleared storage', () => {
    const storage = Array.from({ length: 10 }, (_, i) => [word(BigInt(i)), word(1n)] as const)
    const clear = Array.from({ length: 10 }, (_, i) => `6000 600${i} 55`).join(' ')
    const state = worldWithCode('00', account(contract, { nonce: 1n, code: code(clear), storage }))
    const spent = 21_000n + 10n * (5_000n + 6n)
    const result = transact(begin(evm, state))
    expect(result).toMatchObject({ gasUsed: spent - spent / 5n, refund: spent / 5n, peakGas: spent })
    const old = transact(begin(evm, state, 'berlin'), { type: 0, maxPriorityFeePerGas: 10n })
    expect(old).toMatchObject({ gasUsed: spent - spent / 2n, refund: spent / 2n })
  })

  it('takes the floor for data from Prague on', () => {
    const data = new Uint8Array(100).fill(1)
    expect(transact(begin(evm, worldWithCode('00')), { data }).gasUsed).toBe(21_000n + 40n * 100n)
    expect(transact(begin(evm, worldWithCode('00'), 'cancun'), { data }).gasUsed).toBe(21_000n + 16n * 100n)
  })

  it('warms what the access list names', () => {
    const state = worldWithCode('5f54 50 60ff31 50')
    const accessList = [
      { address: contract, storageKeys: [slot0] },
      { address: address(0xffn), storageKeys: [] },
    ]
    const base = 21_000n + 2n + 3n + 2n * 2n
    expect(transact(begin(evm, state)).gasUsed).toBe(base + 2_100n + 2_600n)
    expect(transact(begin(evm, state), { accessList }).gasUsed).toBe(base + 200n + 2n * 2_400n + 1_900n)
  })

  it('pays for blobs', () => {
    const execution = begin(evm, worldWithCode('5f49 5f55'))
    const blob = concatBytes(Uint8Array.of(1), new Uint8Array(31).fill(7))
    const result = transact(execution, { type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [blob, blob] })
    expect(result.blobGasUsed).toBe(262_144n)
    expect(execution.evmState.storage(contract, slot0)).toEqual(blob)
    const paid = 10n ** 24n - (execution.evmState.account(sender)?.balance ?? 0n)
    expect(paid).toBe(result.gasUsed * 9n + 262_144n)
  })
})

describe('authorizations (EIP-7702)', () => {
  const authority = address(0xa117n)
  const authorization = { chainId: 1n, address: contract, nonce: 0n, authority }
  const counter = '5f54 6001 01 5f55'

  it('run the code they point to, on the authority’s storage', () => {
    const execution = begin(evm, worldWithCode(counter))
    const result = transact(execution, { type: 4, to: authority, authorizationList: [authorization] })
    expect(result.success).toBe(true)
    expect(toBigInt(execution.evmState.storage(authority, slot0))).toBe(1n)
    expect(execution.evmState.account(authority)?.nonce).toBe(1n)
    const { code: deployed } = execution.drainChanges()
    expect(deployed.map(([, bytes]) => bytes)).toEqual([concatBytes(code('ef0100'), contract)])
    expect(transact(execution, { nonce: 1n, to: authority }).success).toBe(true)
    expect(toBigInt(execution.evmState.storage(authority, slot0))).toBe(2n)
  })

  it('give gas back where the account exists, and end by the zero address', () => {
    const state = worldWithCode('00', account(authority, { balance: 1n }))
    const execution = begin(evm, state)
    const fresh = transact(execution, {
      type: 4,
      authorizationList: [{ ...authorization, authority: address(1n << 99n) }],
    })
    expect(fresh.gasUsed).toBe(46_000n)
    const known = transact(execution, { type: 4, nonce: 1n, authorizationList: [authorization] })
    expect(known).toMatchObject({ refund: 9_200n, gasUsed: 36_800n })
    const end = { ...authorization, nonce: 1n, address: new Uint8Array(20) }
    transact(execution, { type: 4, nonce: 2n, authorizationList: [end] })
    expect(execution.evmState.account(authority)).toMatchObject({ nonce: 2n, balance: 1n })
    expect(
      execution.evmState.code(execution.evmState.account(authority)?.codeHash as Uint8Array),
    ).toHaveLength(0)
  })

  it('are passed over when chain, nonce, signature or code are wrong', () => {
    const wrong = [
      { ...authorization, chainId: 2n },
      { ...authorization, nonce: 1n },
      { ...authorization, nonce: 2n ** 64n - 1n },
      { ...authorization, authority: undefined },
      { ...authorization, authority: contract, nonce: 1n },
    ]
    const execution = begin(evm, worldWithCode('00'))
    expect(transact(execution, { type: 4, authorizationList: wrong }).gasUsed).toBe(21_000n + 5n * 25_000n)
    expect(execution.evmState.account(authority)).toBeUndefined()
  })
})

describe('accounts that end', () => {
  const heir = address(0x4e14n)
  const destroy = `73${'00'.repeat(18)}4e14 ff`

  it('keep their code from Cancun on unless they were created in the same transaction', () => {
    const state = worldOf(
      account(sender, { balance: 10n ** 24n }),
      account(contract, { nonce: 1n, balance: 9n, code: code(destroy), storage: [[slot0, word(1n)]] }),
    )
    const old = begin(evm, state, 'shanghai')
    transact(old)
    expect(old.evmState.account(contract)).toBeUndefined()
    expect(old.evmState.storage(contract, slot0)).toEqual(slot0)
    const change = old.drainChanges().accounts.find(({ address: at }) => toBigInt(at) === toBigInt(contract))
    expect(change).toMatchObject({ account: undefined, storageCleared: true, storage: [] })
    const now = begin(evm, state)
    transact(now)
    expect(now.evmState.account(contract)).toMatchObject({ nonce: 1n, balance: 0n })
    expect(now.evmState.account(heir)?.balance).toBe(9n)
    const created = transact(now, { nonce: 1n, to: undefined, data: code(destroy), value: 4n })
      .created as Uint8Array
    expect(now.evmState.account(created)).toBeUndefined()
    expect(now.evmState.account(heir)?.balance).toBe(13n)
  })

  it('go when they are touched and empty, from Spurious Dragon on', () => {
    const empty = address(0xe3n)
    const state = worldOf(account(sender, { balance: 10n ** 24n }), account(empty))
    const legacy = { type: 0, maxPriorityFeePerGas: 10n, to: empty } as const
    const before = begin(evm, state, 'tangerineWhistle')
    transact(before, legacy)
    expect(before.evmState.account(empty)).toBeDefined()
    const since = begin(evm, state, 'spuriousDragon')
    transact(since, legacy)
    expect(since.evmState.account(empty)).toBeUndefined()
  })

  it('start again when they are created again', () => {
    // A factory deploys by CREATE2 what destroys itself when called; its init code stores 5 in slot 0.
    const init = '6005 5f55 6002 600e 5f 39 6002 5f f3 33ff'
    const bytes = code(init)
    const size = bytes.length.toString(16).padStart(2, '0')
    const factory = `${(0x5f + bytes.length).toString(16)}${Buffer.from(bytes).toString('hex')} 5f52 5f 60${size} 60${(32 - bytes.length).toString(16).padStart(2, '0')} 5f f5 5f52 60205ff3`
    const state = worldWithCode(factory)
    const execution = begin(evm, state, 'shanghai')
    const made = transact(execution).output.subarray(12)
    expect(toBigInt(execution.evmState.storage(made, slot0))).toBe(5n)
    state.apply(execution.drainChanges())
    transact(execution, { nonce: 1n, to: made })
    expect(execution.evmState.account(made)).toBeUndefined()
    expect(transact(execution, { nonce: 2n }).output.subarray(12)).toEqual(made)
    const change = execution
      .drainChanges()
      .accounts.find(({ address: at }) => toBigInt(at) === toBigInt(made))
    expect(change).toMatchObject({ storageCleared: true, storage: [[slot0, word(5n)]] })
  })
})

it('transient storage ends with the transaction', () => {
  const execution = begin(evm, worldWithCode('5f5c 5f55 6001 5f5d 5f5c 6001 55'))
  transact(execution)
  transact(execution, { nonce: 1n })
  expect(toBigInt(execution.evmState.storage(contract, slot0))).toBe(0n)
  expect(toBigInt(execution.evmState.storage(contract, word(1n)))).toBe(1n)
})

it('withdrawals and credits are not transactions', () => {
  const execution = begin(evm, worldOf())
  execution.withdraw([
    { address: contract, amount: 2n },
    { address: sender, amount: 0n },
  ])
  execution.credit(coinbase, 3n)
  expect(execution.evmState.account(contract)?.balance).toBe(2_000_000_000n)
  expect(execution.evmState.account(sender)).toBeUndefined()
  expect(execution.evmState.account(block.coinbase)?.balance).toBe(3n)
})
