import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { begin, createTestMachine, returnTop, run, worldWithCode } from '../../test/support/evm/support.ts'
import { createRandom } from '../../test/support/random.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import type { Evm } from './evm.ts'
import type { Execution } from './types.ts'

/** Hashes what it is called with. */
const program = `36 5f 5f 37 36 5f 20 ${returnTop}`

let evm: Evm
let execution: Execution

beforeAll(async () => {
  evm = await createTestMachine()
})

beforeEach(() => {
  execution = begin(evm, worldWithCode(program))
})

const hashOf = (data: Uint8Array): string => toHex(run(execution, { data, gasLimit: 1_000_000n }).output)

describe('KECCAK256', () => {
  it('hashes inputs of every length around the rate', () => {
    const random = createRandom(1)
    for (let length = 0; length <= 420; length++) {
      const data = random.bytes(length)
      expect(hashOf(data), `${length} bytes`).toBe(toHex(keccak256(data)))
    }
  })

  it('hashes what is followed by other bytes in memory', () => {
    const tail = begin(evm, worldWithCode(`36 5f 5f 37 6025 6003 20 ${returnTop}`))
    const data = createRandom(2).bytes(96)
    expect(toHex(run(tail, { data }).output)).toBe(toHex(keccak256(data.subarray(3, 40))))
  })

  it('hashes the pair of zeros before any other', async () => {
    const fresh = begin(await createTestMachine(), worldWithCode(program))
    const data = new Uint8Array(64)
    expect(toHex(run(fresh, { data }).output)).toBe(toHex(keccak256(data)))
  })

  it('hashes more pairs than it remembers, each of them again and again', () => {
    const random = createRandom(3)
    const pairs = Array.from({ length: 3_000 }, (_, index) => {
      // The keys and slots of mappings: nearly all zeros, and different in a few bytes.
      const pair = new Uint8Array(64)
      pair.set(index % 2 === 0 ? random.bytes(20) : random.bytes(2), index % 2 === 0 ? 12 : 30)
      pair[63] = index % 5
      return { pair, expected: toHex(keccak256(pair)) }
    })
    for (let round = 0; round < 3; round++)
      for (const { pair, expected } of pairs)
        if (hashOf(pair) !== expected) expect.fail(`round ${round}: the hash of ${toHex(pair)} is wrong`)
  })

  it('tells pairs apart that differ in one bit', () => {
    const pair = createRandom(4).bytes(64)
    expect(hashOf(pair)).toBe(toHex(keccak256(pair)))
    for (let bit = 0; bit < 512; bit++) {
      const other = Uint8Array.from(pair)
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(hashOf(other), `bit ${bit}`).toBe(toHex(keccak256(other)))
      expect(hashOf(pair)).toBe(toHex(keccak256(pair)))
    }
  })
})
