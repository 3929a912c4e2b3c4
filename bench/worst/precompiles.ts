import { concatBytes } from '../../src/base/encoding/bytes.ts'
import { type Fork, since } from '../../src/chain/config/forks.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { defineWorstCases, type WorstCase } from './case.ts'
import {
  bnPair,
  even,
  field,
  g1Bytes,
  g2Bytes,
  modexp,
  ones,
  repeated,
  sample,
  scalar,
  word,
} from './precompileInputs.ts'

interface Case {
  readonly name: string
  readonly address: number
  readonly fork: Fork
  readonly input: Uint8Array
}

const modexpCases = (fork: Fork, maxLength: number): Case[] => {
  const lengths = [1, 2, 4, 8, 16, 24, 32, 40, 64, 128, 256, 512, 1024].filter(
    (length) => length <= maxLength,
  )
  return lengths.flatMap((length) =>
    [ones(length), even(length)].flatMap((modulus, kind) =>
      [1, 32, 1024].map((exponent) => ({
        name: `modexp ${length} bytes ${kind === 0 ? 'odd' : 'even'}, exponent ${exponent}`,
        address: 0x05,
        fork,
        input: modexp(length, exponent, modulus),
      })),
    ),
  )
}

const osaka = (name: string, address: number, input: Uint8Array): Case => ({
  name,
  address,
  fork: 'osaka',
  input,
})

const createCases = (): readonly Case[] => [
  osaka('ecrecover', 0x01, sample(0x01)),
  osaka('sha256 of nothing', 0x02, new Uint8Array(0)),
  osaka('sha256 of 1 MB', 0x02, new Uint8Array(1_000_000)),
  osaka('ripemd160 of nothing', 0x03, new Uint8Array(0)),
  osaka('ripemd160 of 1 MB', 0x03, new Uint8Array(1_000_000)),
  osaka('identity of nothing', 0x04, new Uint8Array(0)),
  osaka('identity of 1 MB', 0x04, new Uint8Array(1_000_000)),
  osaka('bn254 add', 0x06, concatBytes(bnPair.subarray(0, 64), ...[1n, 2n].map(word))),
  osaka('bn254 multiply', 0x07, concatBytes(bnPair.subarray(0, 64), scalar)),
  osaka('bn254 pairing of 1', 0x08, bnPair),
  osaka('bn254 pairing of 100', 0x08, repeated(bnPair, 100)),
  osaka('blake2f of 1 round', 0x09, concatBytes(Uint8Array.of(0, 0, 0, 1), new Uint8Array(209))),
  osaka(
    'blake2f of 1,000,000 rounds',
    0x09,
    concatBytes(Uint8Array.of(0, 0x0f, 0x42, 0x40), new Uint8Array(209)),
  ),
  osaka('point evaluation', 0x0a, sample(0x0a)),
  osaka('BLS G1 add', 0x0b, concatBytes(g1Bytes, sample(0x0b).subarray(0, 128))),
  ...[1, 2, 16, 128, 1000].map((count) =>
    osaka(`BLS G1 multiplication of ${count}`, 0x0c, repeated(concatBytes(g1Bytes, scalar), count)),
  ),
  osaka('BLS G2 add', 0x0d, concatBytes(g2Bytes, sample(0x0d).subarray(0, 256))),
  ...[1, 2, 16, 128, 1000].map((count) =>
    osaka(`BLS G2 multiplication of ${count}`, 0x0e, repeated(concatBytes(g2Bytes, scalar), count)),
  ),
  osaka('BLS pairing of 1', 0x0f, concatBytes(g1Bytes, g2Bytes)),
  osaka('BLS pairing of 100', 0x0f, repeated(concatBytes(g1Bytes, g2Bytes), 100)),
  osaka('BLS map to G1', 0x10, field(2n ** 380n)),
  osaka('BLS map to G2', 0x11, concatBytes(field(2n ** 380n), field(2n ** 379n))),
  osaka('P-256', 0x100, sample(0x100)),
  ...modexpCases('osaka', 1024),
  ...modexpCases('berlin', 1024),
  {
    name: 'modexp 20,000 bytes, exponent 1',
    address: 5,
    fork: 'berlin',
    input: modexp(20_000, 1, ones(20_000)),
  },
  {
    name: 'modexp 4 bytes, exponent 500,000',
    address: 5,
    fork: 'berlin',
    input: modexp(4, 500_000, ones(4)),
  },
  {
    name: 'modexp 8 bytes, exponent 500,000',
    address: 5,
    fork: 'berlin',
    input: modexp(8, 500_000, ones(8)),
  },
  ...modexpCases('byzantium', 64),
]

/** A precompile is reached by a call, which has its own price: EIP-150, EIP-2929. */
const callGas = (fork: Fork): number => (since(fork, 'berlin') ? 100 : 700)

/** Runs that take less than this are repeated within one measurement: the clock is not finer. */
const leastMs = 2

const toWorstCase = ({ name, address, fork, input }: Case): WorstCase => ({
  name: `${name} (${fork})`,
  sides: {
    perihelion: () => {
      const precompile = precompilesAt(fork).get(address)
      if (precompile === undefined) throw new Error(`${address} is not at ${fork}`)
      const gas = callGas(fork) + Number(precompile.gas(input, fork))
      let repeats = 1
      return {
        run: () => {
          const start = performance.now()
          for (let run = 0; run < repeats; run++) precompile.run(input)
          const ms = performance.now() - start
          const spent = { gas: gas * repeats, ms }
          if (ms < leastMs) repeats *= 2
          return spent
        },
      }
    },
  },
})

/** Every precompile at the input that is worst for it. */
export const part = defineWorstCases(({ isQuick }) => {
  const cases = createCases()
  return (isQuick ? cases.filter((_, index) => index % 6 === 0) : cases).map(toWorstCase)
})
