import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sha256 } from '../../base/crypto/crypto.ts'
import { headerHash } from '../../comet/data/headerHash.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { ValidatorSet } from '../../light/validatorSet.ts'
import { createThreadLog } from '../follow/threadLog.ts'
import { LieLog, toLie } from './lieLog.ts'
import { createTrustFile } from './trustFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'perihelion-light-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const log = createThreadLog(() => undefined)

test('lies are kept, the last 100, and outlive the process', () => {
  const path = join(folder, 'lies.jsonl')
  const lies = new LieLog(path, log)
  for (let height = 1; height <= 120; height++)
    lies.add(toLie('node', new ProvenLie('bad signature', height, 'nobody signed it', { height })))
  lies.add(toLie('node', new ProvenLie('other content', 121, 'is too long', 'x'.repeat(100_000))))
  expect(lies.counts()).toEqual(
    new Map([
      ['bad signature', 120],
      ['other content', 1],
    ]),
  )
  const again = new LieLog(path, log)
  expect(again.lies).toHaveLength(100)
  expect(again.lies.at(-2)).toMatchObject({ node: 'node', height: 120, evidence: { height: 120 } })
  expect(again.lies.at(-1)?.evidence).toBeUndefined()
})

test('a damaged line costs no other lie', () => {
  const path = join(folder, 'damaged.jsonl')
  const lies = new LieLog(path, log)
  for (const height of [1, 2, 3]) lies.add(toLie('node', new ProvenLie('bad signature', height, 'is bad')))
  const [first, second, third] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, [first, second?.slice(0, 20), 'null', '7', third, '{"time":1'].join('\n'))
  const again = new LieLog(path, log)
  expect(again.lies.map(({ height }) => height)).toEqual([1, 3])
  again.add(toLie('node', new ProvenLie('bad signature', 4, 'is bad')))
  expect(new LieLog(path, log).lies.map(({ height }) => height)).toEqual([1, 3, 4])
})

const trusted = () => {
  const key = Buffer.alloc(32, 3)
  const validators = new ValidatorSet([
    {
      address: sha256(key).subarray(0, 20),
      keyType: 'tendermint/PubKeyEd25519',
      key: key.toString('base64'),
      power: 10n,
    },
  ])
  const hash = Buffer.alloc(32, 1)
  const header = {
    versionBlock: 11n,
    versionApp: 1n,
    chainId: 'chain-1',
    height: 7,
    time: { seconds: 1_790_000_000n, nanos: 12_345 },
    lastBlockId: { hash, partsTotal: 1, partsHash: hash },
    lastCommitHash: hash,
    dataHash: hash,
    validatorsHash: validators.hash,
    nextValidatorsHash: validators.hash,
    consensusHash: hash,
    appHash: Buffer.alloc(20, 2),
    lastResultsHash: hash,
    evidenceHash: hash,
    proposerAddress: Buffer.alloc(20, 4),
  }
  return { header, validators, sinceMs: 5 }
}

test('what is trusted is read as it was written; a file that was changed is an error', () => {
  const path = join(folder, 'deeper', 'trust.json')
  expect(createTrustFile(path, false).load()).toBeUndefined()
  const newest = trusted()
  const root = { height: 7, hash: headerHash(newest.header), by: 'first use' as const }
  createTrustFile(path, false).save({ chainId: 'chain-1', root, newest, isStoreProven: true })
  const loaded = createTrustFile(path, false).load()
  expect(loaded?.root.by).toBe('first use')
  expect(loaded?.newest.sinceMs).toBe(5)
  expect(loaded?.isStoreProven).toBe(true)
  expect(headerHash(loaded?.newest.header ?? newest.header)).toEqual(root.hash)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"voting_power":"10"', '"voting_power":"11"'))
  expect(() => createTrustFile(path, false).load()).toThrow('cannot be read')
  writeFileSync(path, '{')
  expect(() => createTrustFile(path, false).load()).toThrow('set gateway.trust-height and gateway.trust-hash')
  // What is set already is not a remedy.
  expect(() => createTrustFile(path, true).load()).toThrow(
    'trust starts over with the block of gateway.trust-height',
  )
})

test('keys of a kind that is not known are rejected in a line', () => {
  const [validator] = trusted().validators.source
  if (validator === undefined) throw new Error('there is no validator')
  const other = { ...validator, keyType: 'cometbft/PubKeyBls12_381' }
  expect(() => new ValidatorSet([other])).toThrow(
    /^validators sign with keys of the kind cometbft\/PubKeyBls12_381/,
  )
})
