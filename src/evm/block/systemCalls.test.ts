import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  account,
  address,
  begin,
  block,
  code,
  createTestMachine,
  word,
  worldOf,
} from '../../../test/support/evm/support.ts'
import { concatBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { requestsHash } from '../../chain/block/requestsHash.ts'
import { blobBaseFee, nextExcessBlobGas } from '../../chain/fees/blobGas.ts'
import type { Evm } from '../evm.ts'
import { collectDeposits, collectRequests, DepositLogError } from './collectRequests.ts'
import { applyPreBlockCalls, SystemCallError } from './systemCalls.ts'

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

const beaconRoots = fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
const history = fromHex('0x0000f90827f1c53a10cb7a02335b175320002935')
const withdrawals = fromHex('0x00000961ef480eb55e80d19ad83579a64c007002')
const consolidations = fromHex('0x0000bbddc7ce488642fb579f8b00f3a590007251')
const parent = { hash: word(0xabcn), beaconRoot: word(0xdefn) }

/** The deployed contracts of the EIPs. */
const eip4788 = code(
  '3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
)
const eip2935 = code(
  '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
)

describe('the calls of a block', () => {
  it('store the parent’s beacon root and hash', () => {
    const state = worldOf(
      account(beaconRoots, { nonce: 1n, code: eip4788 }),
      account(history, { nonce: 1n, code: eip2935 }),
    )
    const execution = begin(evm, state, 'prague')
    applyPreBlockCalls(execution, 'prague', parent)
    const slot = block.timestamp % 8191n
    expect(toBigInt(execution.evmState.storage(beaconRoots, word(slot)))).toBe(block.timestamp)
    expect(execution.evmState.storage(beaconRoots, word(slot + 8191n))).toEqual(parent.beaconRoot)
    expect(execution.evmState.storage(history, word((block.number - 1n) % 8191n))).toEqual(parent.hash)
    // The system account is not touched.
    expect(execution.drainChanges().accounts).toHaveLength(2)
  })

  it('do nothing where the fork is older or no code stands', () => {
    const state = worldOf(account(beaconRoots, { nonce: 1n, code: eip4788 }))
    const execution = begin(evm, state, 'shanghai')
    applyPreBlockCalls(execution, 'shanghai', parent)
    applyPreBlockCalls(begin(evm, worldOf(), 'prague'), 'prague', parent)
    expect(begin(evm, worldOf(), 'prague').drainChanges().accounts).toEqual([])
  })

  it('collect requests and fail without their contracts', () => {
    // Answers with two bytes, and with none.
    const state = worldOf(
      account(withdrawals, { nonce: 1n, code: code('610102 5f52 6002 601e f3') }),
      account(consolidations, { nonce: 1n, code: code('00') }),
    )
    const execution = begin(evm, state, 'prague')
    expect(collectRequests(execution, [], undefined)).toEqual([Uint8Array.of(1, 1, 2)])
    expect(() => collectRequests(begin(evm, worldOf(), 'prague'), [], undefined)).toThrow(SystemCallError)
    const failing = worldOf(account(withdrawals, { nonce: 1n, code: code('fe') }))
    expect(() => collectRequests(begin(evm, failing, 'prague'), [], undefined)).toThrow(SystemCallError)
  })
})

describe('requests', () => {
  const deposit = address(0xde90n)
  const event = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
  const filled = (size: number, value: number): Uint8Array => {
    const padded = new Uint8Array(Math.ceil(size / 32) * 32)
    padded.fill(value, 0, size)
    return concatBytes(word(BigInt(size)), padded)
  }
  const data = concatBytes(
    ...[160n, 256n, 320n, 384n, 512n].map(word),
    ...[filled(48, 1), filled(32, 2), filled(8, 3), filled(96, 4), filled(8, 5)],
  )

  it('read deposits from logs of their contract alone', () => {
    const log = { address: deposit, topics: [event], data }
    const found = collectDeposits(
      [log, { ...log, address: address(1n) }, { ...log, topics: [word(1n)] }],
      deposit,
    )
    const expected = [new Uint8Array(48).fill(1), new Uint8Array(32).fill(2), new Uint8Array(8).fill(3)]
    expect(found).toEqual(concatBytes(...expected, new Uint8Array(96).fill(4), new Uint8Array(8).fill(5)))
    expect(() => collectDeposits([{ ...log, data: data.subarray(1) }], deposit)).toThrow(DepositLogError)
    const moved = data.slice()
    moved[31] = 161
    expect(() => collectDeposits([{ ...log, data: moved }], deposit)).toThrow(DepositLogError)
  })

  it('hash to what EIP-7685 says', () => {
    const empty = createHash('sha256').digest('hex')
    expect(toHex(requestsHash([]))).toBe(`0x${empty}`)
    expect(toHex(requestsHash([Uint8Array.of(0)]))).toBe(`0x${empty}`)
    const inner = createHash('sha256').update(Uint8Array.of(1, 7)).digest()
    expect(toHex(requestsHash([Uint8Array.of(1, 7)]))).toBe(
      `0x${createHash('sha256').update(inner).digest('hex')}`,
    )
  })
})

describe('blob gas', () => {
  const cancun = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }
  const osaka = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n }

  it('rises with its excess', () => {
    // The numbers of the tests of EIP-4844.
    expect(blobBaseFee(0n, cancun)).toBe(1n)
    expect(blobBaseFee(2_314_057n, cancun)).toBe(1n)
    expect(blobBaseFee(2_314_058n, cancun)).toBe(2n)
    expect(blobBaseFee(10n * 2n ** 20n, cancun)).toBe(23n)
  })

  it('is left over above the target, and less so where execution is dear', () => {
    const parentOf = (excessBlobGas: bigint, blobs: bigint, baseFeePerGas: bigint) => ({
      excessBlobGas,
      blobGasUsed: blobs * 131_072n,
      baseFeePerGas,
    })
    expect(nextExcessBlobGas(parentOf(0n, 3n, 7n), 'cancun', cancun)).toBe(0n)
    expect(nextExcessBlobGas(parentOf(131_072n, 6n, 7n), 'cancun', cancun)).toBe(4n * 131_072n)
    expect(nextExcessBlobGas(parentOf(131_072n * 6n, 9n, 1n), 'osaka', osaka)).toBe(131_072n * 9n)
    expect(nextExcessBlobGas(parentOf(131_072n * 6n, 9n, 10n ** 9n), 'osaka', osaka)).toBe(131_072n * 9n)
    expect(nextExcessBlobGas(parentOf(131_072n * 6n, 6n, 10n ** 9n), 'osaka', osaka)).toBe(131_072n * 8n)
    expect(nextExcessBlobGas(parentOf(131_072n * 6n, 6n, 1n), 'osaka', osaka)).toBe(131_072n * 6n)
  })
})
