import type { Chain } from '../../chain/port/chain.ts'
import { maxBlockTime } from '../../chain/port/dev.ts'
import { callFailed, invalidParams } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { nothing } from '../answers/done.ts'
import { Flag } from '../wire/basic.ts'
import { DevInteger, PlainNumber } from '../wire/dev.ts'
import { refusesEqualTimes } from './clientRules.ts'
import { devMethod } from './devMethod.ts'

/** A time above this is in milliseconds, as ganache takes it. */
const firstMilliseconds = 1e12

const toSeconds = (time: number): number => (time > firstMilliseconds ? Math.floor(time / 1000) : time)

/** Returns the time that the next block is not before, unless it was set. */
const latestTime = (chain: Pick<Chain, 'head'>): number =>
  Math.max(chain.head().time, Math.floor(Date.now() / 1000))

/** Throws if a time is before that of the head. */
export const assertNotPast = (chain: Pick<Chain, 'head'>, time: number): void => {
  if (time < chain.head().time)
    throw invalidParams(`Timestamp error: ${time} is lower than previous block's timestamp`)
}

/** Throws if blocks that are made so would have times that none can have. */
export const assertReachable = (time: number, parameter: string): void => {
  if (time > maxBlockTime)
    throw invalidParams(
      `${parameter}: blocks would be later than ${maxBlockTime}, the latest time of a block`,
    )
}

/** The methods for the time of blocks. No block is before its parent. */
export const devTimeMethods = [
  ...devMethod({
    names: ['anvil_increaseTime', 'evm_increaseTime'],
    summary:
      'Moves the time of later blocks forward, and gives by how many seconds they are ahead of the clock.',
    work: 'write',
    params: [param('seconds', DevInteger, 'By how much.')],
    result: { name: 'offset', type: PlainNumber },
    examples: [{ name: 'a day', params: [86400], result: 86400 }],
    handler: ([seconds], dev, { chain }) => {
      assertReachable(latestTime(chain) + seconds, 'parameter 1 (seconds)')
      return dev.increaseTime(seconds)
    },
  }),
  ...devMethod({
    names: ['anvil_setTime', 'evm_setTime'],
    summary:
      'Sets the time from which later blocks go on, and gives by how many seconds that is later than now.',
    work: 'write',
    params: [param('time', DevInteger, 'Seconds since 1970, or milliseconds.')],
    result: { name: 'offset', type: PlainNumber },
    examples: [],
    handler: ([time], dev) => {
      assertReachable(toSeconds(time), 'parameter 1 (time)')
      return dev.setTime(toSeconds(time))
    },
  }),
  ...devMethod({
    names: ['anvil_setNextBlockTimestamp', 'evm_setNextBlockTimestamp'],
    summary:
      'Sets the time of the next block, from which later blocks go on; it must not be before the head.',
    work: 'write',
    params: [param('time', DevInteger, 'Seconds since 1970.')],
    result: nothing,
    examples: [{ name: 'in the year 2100', params: [4102444800], result: null }],
    handler: async ([time], dev, { chain }, { caller }) => {
      assertNotPast(chain, time)
      if (time === chain.head().time && refusesEqualTimes(caller.userAgent))
        throw callFailed(`Timestamp ${time} is equal to the previous block's timestamp`)
      assertReachable(time, 'parameter 1 (time)')
      await dev.setNextBlockTime(time)
    },
  }),
  ...devMethod({
    names: ['anvil_setBlockTimestampInterval'],
    summary: 'Makes each block later than its parent by the same time, whatever the clock says.',
    work: 'write',
    params: [param('seconds', DevInteger, 'By how much.')],
    result: nothing,
    examples: [{ name: 'twelve seconds', params: [12], result: null }],
    handler: async ([seconds], dev, { chain }) => {
      assertReachable(chain.head().time + seconds, 'parameter 1 (seconds)')
      await dev.setTimestampInterval(seconds)
    },
  }),
  ...devMethod({
    names: ['anvil_removeBlockTimestampInterval'],
    summary: 'Lets the time of blocks follow the clock again; false where it did.',
    work: 'write',
    params: [],
    result: { name: 'removed', type: Flag },
    examples: [{ name: 'there was none', params: [], result: false }],
    handler: async (_, dev) => {
      const hadInterval = dev.timestampInterval() !== undefined
      await dev.setTimestampInterval(undefined)
      return hadInterval
    },
  }),
]
