import { describe, expect, it } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { parseChainConfig } from '../config/chainConfig.ts'
import { createLiveConfig } from '../config/liveConfig.ts'
import {
  followSchedule,
  readForkSchedule,
  scheduleContractAddress,
  scheduleContractStorage,
} from './schedule.ts'

const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 50 }
const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
}
const perihelion = { validators: [], admin: `0x${'ad'.repeat(20)}` }
const configOf = (members: object) =>
  createLiveConfig(
    parseChainConfig({
      chainId: 7,
      terminalTotalDifficulty: 0,
      ...blockZero,
      blobSchedule,
      ...times,
      ...members,
    }),
  )
const blockZero = Object.fromEntries(
  [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'berlin',
    'london',
  ].map((name) => [`${name}Block`, 0]),
)

/** A state whose contract has Prague at another time. */
const state = () => {
  const slots = new Map(
    scheduleContractStorage(configOf({ pragueTime: 99 }), true).map(([slot, value]) => [toHex(slot), value]),
  )
  return {
    account: (address: Uint8Array) =>
      toHex(address) === toHex(scheduleContractAddress)
        ? { nonce: 1n, balance: 0n, codeHash: new Uint8Array(32).fill(1) }
        : undefined,
    storage: (_: Uint8Array, slot: Uint8Array) => slots.get(toHex(slot)) ?? new Uint8Array(32),
  }
}

const pragueOf = (config: ReturnType<typeof configOf>) =>
  config.activations.find(({ name }) => name === 'prague')?.at

describe('the schedule in a state', () => {
  it('is followed by a chain with validators', () => {
    const config = configOf({ perihelion })
    expect(followSchedule(config, state())).toBe(true)
    expect(pragueOf(config)).toBe(99n)
    expect(followSchedule(config, state())).toBe(false)
  })

  it('is nothing to a chain without validators, whatever is at the address of the contract', () => {
    const config = configOf({})
    expect(readForkSchedule(config, state())).toBeUndefined()
    expect(followSchedule(config, state())).toBe(false)
    expect(pragueOf(config)).toBe(50n)
  })
})
