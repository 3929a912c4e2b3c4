import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeConflict } from '../process/process.ts'
import { lockValidatorKey } from './keyLock.ts'
import { OwnSignatures } from './ownSignatures.ts'
import { raiseSignState, readSignState, signStatePath } from './signState.ts'

const address = new Uint8Array(20).fill(7)
const other = new Uint8Array(20).fill(8)
const startedAt = 1_000_000_000_000

describe('signatures of this validator’s key', () => {
  let known: number
  let reads: number
  let castAt: number | undefined
  let clockStep: number
  const open = () => {
    reads = 0
    return new OwnSignatures(
      { address, path: 'state.json', startedAt },
      {
        read: () => {
          reads++
          return { height: known, round: 0, step: 3 }
        },
        castAt: async () => castAt,
        clockStep: () => clockStep,
      },
    )
  }
  const block = (height: number, blockIdFlag: number, { seconds = 0, voter = address } = {}) => ({
    height,
    time: BigInt(startedAt / 1000 + seconds),
    votes: [
      { validator: { address: other }, blockIdFlag: 2 },
      { validator: { address: voter }, blockIdFlag },
    ],
  })
  beforeEach(() => {
    known = 10
    castAt = startedAt
    clockStep = 0
  })

  it('are its own up to what it has signed, which is read again as it signs', async () => {
    const signatures = open()
    expect(await signatures.findForeign(block(11, 2))).toBeUndefined()
    known = 11
    expect(await signatures.findForeign(block(12, 2))).toBeUndefined()
    expect(reads).toBe(2)
  })

  it.each([
    ['the block', 2],
    ['nil', 3],
  ])('are somebody else’s above that, for %s', async (_, flag) => {
    expect(await open().findForeign(block(12, flag))).toMatch(
      /has signed block 11, and state\.json knows of nothing above 10: it is an old copy/,
    )
    expect(await open().findForeign(block(12, flag, { seconds: 60 }))).toMatch(
      /another process signs with the key .* signed block 11 while this node ran/,
    )
  })

  it('are of an older process where they were cast before this one, whatever it signed meanwhile', async () => {
    const signatures = open()
    known = 11
    castAt = startedAt - 2_000
    expect(await signatures.findForeign(block(12, 2))).toMatch(/has signed block 11, and .* nothing above 10/)
    castAt = undefined
    expect(await open().findForeign(block(12, 2))).toBeUndefined()
  })

  it('are its own after the clock was set back', async () => {
    const signatures = open()
    known = 11
    castAt = startedAt - 60_000
    clockStep = -60_500
    expect(await signatures.findForeign(block(12, 2))).toBeUndefined()
    clockStep = 0
    known = 12
    expect(await signatures.findForeign(block(13, 2))).toBeUndefined()
  })

  it('are not there where it did not vote, or is no validator', async () => {
    expect(await open().findForeign(block(12, 1))).toBeUndefined()
    expect(await open().findForeign(block(12, 2, { voter: other }))).toBeUndefined()
    expect(await open().findForeign({ height: 1, time: 0n, votes: [] })).toBeUndefined()
  })

  it('are seen in CometBFT’s log too', () => {
    const message = 'found conflicting vote from ourselves; did you unsafe_reset a validator?'
    expect(describeConflict({ _msg: message, height: 7 })).toMatch(
      /a vote of it for block 7 that this node did not/,
    )
    expect(describeConflict({ _msg: 'added vote' })).toBeUndefined()
  })
})

describe('the record of signatures', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-sign-'))
    mkdirSync(join(folder, 'data'))
    path = signStatePath(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is read as CometBFT writes it, and only raised', () => {
    writeFileSync(path, '{"height":"12","round":1,"step":3,"signature":"AA==","signbytes":"00"}')
    expect(readSignState(path)).toEqual({ height: 12, round: 1, step: 3 })
    expect(() => raiseSignState(path, 12)).toThrow('has 12, and it is never lowered: got 12')
    expect(raiseSignState(path, 20)).toEqual({ height: 20, round: 0, step: 3 })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ height: '20', round: 0, step: 3 })
  })

  it.each(['{}', '{"height":"x","round":0,"step":0}', ''])(
    'that is damaged (%j) is said in a line',
    (text) => {
      writeFileSync(path, text)
      expect(() => readSignState(path)).toThrow(
        /cannot be read: .*: what this validator has signed is not known/,
      )
      expect(() => raiseSignState(path, 5)).toThrow(/cannot be read/)
    },
  )

  it('that is missing is written by raising it alone', () => {
    expect(() => readSignState(path)).toThrow(/is missing: what this validator has signed is not known/)
    expect(raiseSignState(path, 5)).toEqual({ height: 5, round: 0, step: 3 })
  })
})

it.runIf(process.platform === 'linux')('a key is held by one process of a computer at a time', async () => {
  const key = `TEST${process.pid}`
  const unlock = await lockValidatorKey(key)
  await expect(lockValidatorKey(key)).rejects.toThrow('another process of this computer signs with the key')
  await unlock()
  await (await lockValidatorKey(key))()
})
