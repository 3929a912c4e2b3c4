import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordOf } from '../../../../test/support/signedVotes.ts'
import { validatorAddress } from '../signing/keys.ts'
import { assertRecordFits } from '../signing/recordCheck.ts'
import { raiseSignState, readRecordedSignature, readSignState, signStatePath } from '../signing/signState.ts'
import {
  ensureEngineHome,
  findMissingKey,
  nodeKeyPath,
  replaceValidatorKey,
  validatorKeyPath,
} from './home.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-engine-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a new key keeps the record of what the old one signed, and the old key under another name', () => {
  const { validatorKey } = ensureEngineHome(folder)
  const path = signStatePath(folder)
  expect(readSignState(path)).toEqual({ height: 0, round: 0, step: 0 })
  raiseSignState(path, 41)
  const before = readFileSync(validatorKeyPath(folder), 'utf8')
  const kept = replaceValidatorKey(folder) ?? ''
  expect(kept).toContain(validatorAddress(validatorKey.publicKey))
  expect(readFileSync(kept, 'utf8')).toBe(before)
  expect(ensureEngineHome(folder).validatorKey).not.toEqual(validatorKey)
  expect(readSignState(path)).toMatchObject({ height: 41 })
  rmSync(validatorKeyPath(folder))
  expect(replaceValidatorKey(folder)).toBeUndefined()
  expect(existsSync(validatorKeyPath(folder))).toBe(true)
})

test('a new key that is interrupted leaves the old one, or none with a record that any key goes on with', () => {
  const { validatorKey } = ensureEngineHome(folder)
  const path = signStatePath(folder)
  writeFileSync(path, JSON.stringify(recordOf(validatorKey, 41)))
  // What a kill between the two steps leaves: the new key cannot be written.
  const nodeKey = nodeKeyPath(folder)
  writeFileSync(nodeKey, '{')
  expect(() => replaceValidatorKey(folder)).toThrow('cannot be read')
  expect(existsSync(validatorKeyPath(folder))).toBe(false)
  expect(readRecordedSignature(path)).toBeUndefined()
  expect(readSignState(path)).toMatchObject({ height: 41 })
  rmSync(nodeKey)
  replaceValidatorKey(folder)
  expect(() => assertRecordFits(folder, ensureEngineHome(folder).validatorKey)).not.toThrow()
})

test('a new home has lost no key', () => {
  expect(findMissingKey(folder, false)).toBeUndefined()
  ensureEngineHome(folder)
  expect(findMissingKey(folder, true)).toBeUndefined()
})

test.each([
  ['its record of signatures', () => {}],
  [
    'the blocks of CometBFT',
    () => {
      rmSync(signStatePath(folder))
      mkdirSync(join(folder, 'data', 'blockstore.db'))
    },
  ],
])('a home had a key if it has %s', (_, leave) => {
  ensureEngineHome(folder)
  rmSync(validatorKeyPath(folder))
  leave()
  expect(findMissingKey(folder, false)).toContain('this home had one')
})

test('a home that says that it is of CometBFT had a key, whatever else is lost', () => {
  expect(findMissingKey(folder, true)).toContain('this home had one')
})

test('a key that cannot be read is not replaced', () => {
  ensureEngineHome(folder)
  writeFileSync(validatorKeyPath(folder), '{')
  expect(() => replaceValidatorKey(folder)).toThrow('cannot be read')
  expect(readFileSync(validatorKeyPath(folder), 'utf8')).toBe('{')
})

test.each(['config/addrbook.json', 'data/blockstore.db'])(
  'a key of a node that is missing beside %s was lost, and another one is made',
  (trace) => {
    const { nodeKey, hasLostNodeKey } = ensureEngineHome(folder)
    expect(hasLostNodeKey).toBe(false)
    rmSync(nodeKeyPath(folder))
    // A home that never ran, such as one whose keys were brought from elsewhere.
    expect(ensureEngineHome(folder).hasLostNodeKey).toBe(false)
    mkdirSync(join(folder, trace))
    expect(ensureEngineHome(folder).hasLostNodeKey).toBe(false)
    rmSync(nodeKeyPath(folder))
    const later = ensureEngineHome(folder)
    expect(later.hasLostNodeKey).toBe(true)
    expect(later.nodeKey).not.toEqual(nodeKey)
    expect(ensureEngineHome(folder).hasLostNodeKey).toBe(false)
  },
)
