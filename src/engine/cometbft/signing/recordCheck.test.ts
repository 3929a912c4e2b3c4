import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proposalLogOf, recordOf, voteLogOf } from '../../../../test/support/signedVotes.ts'
import { type EngineKey, generateKey } from './keys.ts'
import { assertRecordFits } from './recordCheck.ts'
import { forgetSignature, raiseSignState, readSignState, signStatePath } from './signState.ts'

describe('the log of votes of a home', () => {
  let folder: string
  let key: EngineKey
  const write = (name: string, log: Uint8Array): void =>
    writeFileSync(join(folder, 'data', 'cs.wal', name), log)
  const record = (content: object): void => writeFileSync(signStatePath(folder), JSON.stringify(content))
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-votes-'))
    mkdirSync(join(folder, 'data', 'cs.wal'), { recursive: true })
    key = generateKey()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('tells an old record, before anything is signed', () => {
    record(recordOf(key, 9))
    write('wal', voteLogOf(key, [7, 8, 9]))
    expect(() => assertRecordFits(folder, key)).not.toThrow()
    write('wal', voteLogOf(key, [9, 10]))
    expect(() => assertRecordFits(folder, key)).toThrow(/nothing above block 9, and .* signed in block 10/)
    raiseSignState(signStatePath(folder), 10)
    expect(() => assertRecordFits(folder, key)).not.toThrow()
  })

  it.each([9, 10])('lets a record of block %i that is raised as the message says go on', (height) => {
    record(recordOf(key, height))
    write('wal', voteLogOf(key, [10], '', 2))
    expect(() => assertRecordFits(folder, key)).toThrow('sign-state --raise 10`')
    raiseSignState(signStatePath(folder), 10)
    expect(() => assertRecordFits(folder, key)).not.toThrow()
  })

  it('counts what the key of the home signed, and nothing that peers sent', () => {
    record(recordOf(key, 9))
    write('wal', Buffer.concat([voteLogOf(key, [20], 'a peer'), voteLogOf(generateKey(), [20])]))
    expect(() => assertRecordFits(folder, key)).not.toThrow()
  })

  it('does not count proposals, which the key before may have signed', () => {
    record(recordOf(key, 9))
    write('wal', Buffer.concat([voteLogOf(key, [9]), proposalLogOf(20), voteLogOf(generateKey(), [20])]))
    expect(() => assertRecordFits(folder, key)).not.toThrow()
  })

  it('goes on in older files, and ends where it is torn', () => {
    record(recordOf(key, 9))
    write('wal', voteLogOf(key, [9]).subarray(0, -1))
    write('wal.009', voteLogOf(key, [9]))
    write('wal.010', voteLogOf(key, [10]))
    expect(() => assertRecordFits(folder, key)).toThrow('signed in block 10')
    write('wal', Buffer.from('no log'))
    rmSync(join(folder, 'data', 'cs.wal', 'wal.010'))
    expect(() => assertRecordFits(folder, key)).not.toThrow()
  })

  it('is not needed to tell a record of another key, and a new key in the home has that of the old one', () => {
    record(recordOf(generateKey(), 9))
    expect(() => assertRecordFits(folder, key)).toThrow('is of another key')
    forgetSignature(signStatePath(folder))
    expect(() => assertRecordFits(folder, key)).not.toThrow()
    expect(readSignState(signStatePath(folder))).toEqual({ height: 9, round: 0, step: 3 })
  })
})
