import type { Address, Hex } from 'viem'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { initCode, runtimeCode } from '../../fuzz/programs.ts'
import { precompileAddresses, precompileInput } from '../../support/evm/precompileInputs.ts'
import type { Random } from '../../support/random.ts'
import { creations, endless, type Places, programAddresses, recursing } from './contracts.ts'

/** A transaction before it is signed. */
export interface Request {
  readonly to?: Address
  readonly data?: Hex
  readonly value?: bigint
  readonly gas: bigint
  readonly kind: 'legacy' | 'list' | 'fees' | 'delegation'
}

export interface Surroundings {
  readonly random: Random
  readonly places: Places
  /** The accounts that delegate and are called. */
  readonly authorities: readonly string[]
}

const known = [...programAddresses, new Uint8Array(20).fill(0x99), new Uint8Array(20)]

/** BLOCKHASH and PREVRANDAO differ from node to node, so that no program has a byte that could be one of them. */
const withoutChance = (make: () => Uint8Array): Uint8Array => {
  for (;;) {
    const code = make()
    if (!code.includes(0x40) && !code.includes(0x44)) return code
  }
}

const programs = (random: Random) => ({ random, fork: 'osaka' as const, addresses: known })

export const randomProgram = (random: Random): Uint8Array =>
  withoutChance(() => runtimeCode(programs(random)))

const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** All gas that is left. */
const all = 2n ** 64n

/** A call through up to five forwarders, each with its kind of call, to what is at the end of them. */
const through = (
  { random, places }: Surroundings,
  target: string,
  gas: bigint,
  value: bigint,
  input: string,
): Request => {
  let to = target
  let data = input
  for (let depth = random.below(6); depth > 0; depth--) {
    data = word(gas) + word(BigInt(to)) + word(value) + data
    to = random.pick([...places.forwarders, ...places.strictForwarders])
  }
  const limit = random.chance(0.2) ? 25_000 + random.below(100_000) : 400_000
  return { to: to as Address, data: `0x${data}`, value, gas: BigInt(limit) + calldataGas(data), kind: 'fees' }
}

/** The most that the data of a transaction costs, with the floor of EIP-7623. */
const calldataGas = (digits: string): bigint => BigInt(digits.length / 2) * 40n

const newAddress = (random: Random): string => `0x${hex(random.bytes(20))}`

const storedPairs = (random: Random): string =>
  Array.from(
    { length: 1 + random.below(5) },
    () => word(BigInt(random.below(12))) + word(random.chance(0.4) ? 0n : random.integer(256)),
  ).join('')

/** The kinds of transactions, with how often they come. */
const makers: readonly (readonly [weight: number, make: (surroundings: Surroundings) => Request])[] = [
  // A contract, directly or through others.
  [
    26,
    (surroundings) => {
      const { random, places } = surroundings
      const name = random.pick(Object.keys(places.contracts))
      const isEndless = endless.includes(name)
      const request = through(
        surroundings,
        places.contracts[name] as string,
        isEndless ? BigInt(8_000 + random.below(60_000)) : all,
        random.pick([0n, 0n, 0n, 1n, 5n]),
        random.pick(['', '5f5ff3', 'aabbccdd00']),
      )
      return isEndless ? { ...request, gas: BigInt(60_000 + random.below(60_000)) } : request
    },
  ],
  // Calls one below the other, as many as their gas allows.
  [
    3,
    ({ random, places }) => ({
      to: places.contracts[random.pick(recursing)] as Address,
      gas: BigInt(random.pick([60_000, 400_000, 3_000_000])),
      kind: 'fees',
    }),
  ],
  // Calls one after the other.
  [
    6,
    ({ random, authorities, places }) => {
      const targets = Array.from({ length: 2 + random.below(9) }, () =>
        random.pick([...Object.values(places.contracts), ...authorities, ...places.programs]),
      )
      const data = targets.map((target) => word(BigInt(target))).join('')
      return { to: places.contracts.callsInput as Address, data: `0x${data}`, gas: 900_000n, kind: 'fees' }
    },
  ],
  [
    8,
    (surroundings) => ({
      ...through(
        surroundings,
        surroundings.places.contracts.storesInput as string,
        all,
        0n,
        storedPairs(surroundings.random),
      ),
      kind: surroundings.random.pick(['fees', 'list']),
    }),
  ],
  // Creations, by a transaction and by contracts.
  [
    7,
    ({ random }) => {
      const code = random.chance(0.5)
        ? random.pick(creations).slice(2)
        : hex(withoutChance(() => initCode(programs(random))))
      const gas = BigInt(random.pick([70_000, 200_000, 1_000_000])) + calldataGas(code)
      return { data: `0x${code === '' ? '00' : code}`, value: random.pick([0n, 3n]), gas, kind: 'fees' }
    },
  ],
  [
    10,
    (surroundings) => {
      const { random, places } = surroundings
      const name = random.pick(['creates', 'creates2', 'createsSalted'])
      const code = random.chance(0.6)
        ? random.pick(creations).slice(2)
        : hex(withoutChance(() => initCode(programs(random))))
      const salt = name === 'createsSalted' ? word(BigInt(random.below(4))) : ''
      const value = random.pick([0n, 0n, 2n])
      return {
        ...through(surroundings, places.contracts[name] as string, all, value, salt + code),
        gas: 900_000n,
      }
    },
  ],
  [
    12,
    (surroundings) => {
      const { random } = surroundings
      const precompile = random.pick(precompileAddresses)
      const input = hex(precompileInput(precompile, random))
      const gas = random.pick([all, all, 2_000n])
      const to = `0x${precompile.toString(16).padStart(40, '0')}`
      return through(surroundings, to, gas, random.pick([0n, 0n, 1n]), input)
    },
  ],
  // Coins for accounts that are there, and for new ones.
  [
    8,
    (surroundings) => {
      const { random, authorities } = surroundings
      const to = random.pick([newAddress(random), random.pick(authorities), `0x${'cb'.repeat(20)}`])
      const value = random.pick([0n, 1n, 10n ** 15n])
      const isThrough = random.chance(0.4)
      if (isThrough) return through(surroundings, to, all, value === 0n ? 0n : 1n, '')
      return {
        to: to as Address,
        value,
        gas: random.pick([21_000n, 60_000n]),
        kind: random.pick(['fees', 'legacy']),
      }
    },
  ],
  // Accounts that delegate, and calls of them.
  [
    9,
    ({ random, authorities, places }) => ({
      to: random.pick([...authorities, places.contracts.callsInput as string]) as Address,
      data: `0x${random.pick(['', '5f5ff3', word(BigInt(random.pick(authorities)))])}`,
      gas: BigInt(random.pick([120_000, 400_000])),
      kind: 'delegation',
    }),
  ],
  [
    4,
    (surroundings) => {
      const { random, authorities } = surroundings
      const [value, input] = [random.pick([0n, 1n]), random.pick(['', '5f5ff3'])]
      return through(surroundings, random.pick(authorities), all, value, input)
    },
  ],
  // Programs of random instructions.
  [
    22,
    ({ random, places }) => ({
      to: random.pick(places.programs) as Address,
      data: toHex(random.bytes(random.pick([0, 4, 36, 100]))) as Hex,
      gas: BigInt(30_000 + random.below(500_000)),
      value: random.pick([0n, 0n, 7n]),
      kind: random.pick(['fees', 'list', 'legacy']),
    }),
  ],
]

const totalWeight = makers.reduce((sum, [weight]) => sum + weight, 0)

/** Returns the next random transaction. */
export const nextRequest = (surroundings: Surroundings): Request => {
  let at = surroundings.random.fraction() * totalWeight
  for (const [weight, make] of makers) {
    at -= weight
    if (at < 0) return make(surroundings)
  }
  throw new Error('the weights do not add up')
}
