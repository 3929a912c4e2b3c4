import { describe, expect, it } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import { parseChainConfig } from './chainConfig.ts'
import { findBlobDifference, hashRules } from './rulesHash.ts'

const { config: dev } = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 0n,
  fork: 'cancun',
})
const configOf = (members: object) => parseChainConfig({ ...dev.source, ...members })
const hashOf = (members: object): string => toHex(hashRules(configOf(members)))
const bpo1 = { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }

describe('the rules that a chain commits to', () => {
  it('are those that the first block and the schedule do not have', () => {
    const hashes = [
      {},
      { chainId: 8 },
      { blobSchedule: { bpo1 } },
      { blobSchedule: { bpo1: { ...bpo1, target: 11 } } },
      { blobSchedule: { bpo1: { ...bpo1, max: 16 } } },
      { blobSchedule: { bpo1: { ...bpo1, baseFeeUpdateFraction: 1 } } },
      { blobSchedule: { bpo2: bpo1 } },
      { blobSchedule: { cancun: bpo1 } },
      { depositContractAddress: `0x${'01'.repeat(20)}` },
      { londonBlock: 5 },
      { terminalTotalDifficulty: 1 },
      { daoForkBlock: 3 },
      { daoForkBlock: 3, daoForkSupport: true },
      { perihelion: { limits: { codeSize: 30_000 } } },
      { perihelion: { limits: { transactionGas: 0 } } },
    ].map(hashOf)
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('are the same where a file only says it otherwise', () => {
    const bytes = { target: '0xa', max: '15', baseFeeUpdateFraction: 8_346_193 }
    expect(hashOf({ blobSchedule: { bpo1: bytes } })).toBe(hashOf({ blobSchedule: { bpo1 } }))
    const implied = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
    for (const members of [
      { blobSchedule: { prague: implied, osaka: implied } },
      { blobSchedule: { bpo1: null } },
      { depositContractAddress: `0x${'00'.repeat(20)}` },
      { terminalTotalDifficulty: 0, terminalTotalDifficultyPassed: true },
      // The schedule has it.
      { pragueTime: 99 },
    ])
      expect(hashOf(members)).toBe(hashOf({}))
  })

  it('cannot be met by the name of a fork that holds the lines of others', () => {
    const honest = hashOf({ blobSchedule: { bpo1, bpo2: bpo1 } })
    const forged = { 'bpo1 10/15/8346193\nblobs bpo2': bpo1 }
    expect(() => expect(hashOf({ blobSchedule: forged })).toBe(honest)).toThrow('is not a fork name')
    expect(() => hashOf({ blobSchedule: { 'bpo1 x': null } })).toThrow('is not a fork name')
  })

  it('name the figures that differ', () => {
    const other = { ...bpo1, max: 16 }
    expect(findBlobDifference(configOf({}), configOf({}))).toBeUndefined()
    expect(
      findBlobDifference(configOf({ blobSchedule: { bpo1 } }), configOf({ blobSchedule: { bpo1: other } })),
    ).toEqual({ name: 'bpo1', figures: ['10/15/8346193', '10/16/8346193'] })
    expect(findBlobDifference(configOf({}), configOf({ blobSchedule: { osaka: bpo1 } }))).toEqual({
      name: 'osaka',
      figures: ['6/9/5007716', '10/15/8346193'],
    })
  })
})
