import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkData } from '../../../src/app/dataCheck.ts'
import { checkDataFile } from '../../../src/base/lmdb/file/check.ts'
import { dataFile } from '../../../src/home/layout.ts'
import { fragments } from '../../../src/store/packing/fragments.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { slow, testSome } from '../../support/slow.ts'
import { runDamage } from './run.ts'
import { createSample } from './sample.ts'

/** The whole of it: `npm run long -- damage`. */
const count = 90
const seed = 20_261_116

let file: Buffer
const samples = mkdtempSync(join(tmpdir(), 'perihelion-damaged-'))
beforeAll(async () => {
  file = await createSample({ seed, transactions: 40, pruning: 'archive' })
})
afterAll(() => rmSync(samples, { recursive: true, force: true }))

describe('damage to a data file', () => {
  test('the pages of a whole file are as they should be', () => {
    const path = join(samples, 'whole.mdb')
    writeFileSync(path, file)
    expect(checkDataFile(path)).toMatchObject({ problems: [], isWhole: true })
  })

  test('nothing is wrong with a whole file', async () => {
    const path = join(samples, 'whole.mdb')
    writeFileSync(path, file)
    expect((await checkData(path)).problems).toEqual([])
  })

  test(`of ${count} bits, pages and ends none is lost without being found`, slow, async () => {
    const result = await runDamage({ file, seed, count, checks: 'all' })
    expect(result).toMatchObject({ missed: [], died: [], problem: undefined })
    expect(result.found).toBeGreaterThan(count / 4)
  })

  test('control: checks of pages alone miss some of it', slow, async () => {
    expect((await runDamage({ file, seed, count, checks: 'pages' })).missed).not.toEqual([])
  })
})

describe('a damaged home', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'perihelion-home-'))
    mkdirSync(dirname(dataFile(home)), { recursive: true })
    writeFileSync(dataFile(home), file)
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const refusal = async (...args: readonly string[]): Promise<string> => {
    const program = runProgram(args)
    const code = await program.ended()
    expect({ code, stderr: program.stderr() }).toEqual({
      code: 74,
      stderr: expect.stringMatching(/^perihelion: [^\n]* is damaged: [^\n]*\n$/),
    })
    return program.stderr()
  }

  const start = (): readonly string[] => ['start', ...isolatedFlags(home), '--log.level=error']

  testSome(1, [
    ['cut in the middle', () => truncateSync(dataFile(home), Math.floor(file.length / 16_384) * 8_192)],
    ['cut inside a meta page', () => truncateSync(dataFile(home), 100)],
    ['emptied', () => truncateSync(dataFile(home), 0)],
    ['another file', () => writeFileSync(dataFile(home), Buffer.alloc(100_000, 'not a database'))],
  ])('%s: start and db check say so in one line', async (_, damage) => {
    damage()
    expect(await refusal('db', 'check', '--home', home)).toContain('restore it from a backup')
    expect(await refusal(...start())).toContain('restore it from a backup')
  })

  test('a newest block that contradicts its hash is not served', slow, async () => {
    const copy = Buffer.from(file)
    // The gas of a receipt as it is packed, wherever its page is: between the bytes for the text before and after it.
    const byteOf = (text: string): string => `\\x${fragments.indexOf(text).toString(16).padStart(2, '0')}`
    const before = byteOf('","contractAddress":null,"cumulativeGasUsed":"')
    const after = byteOf('","effectiveGasPrice":"')
    // With the price and the sender behind it: fewer bytes stand elsewhere by chance.
    const sender = byteOf('","from":"')
    const gas = new RegExp(`${before}[\\x60-\\x6f][^]{1,8}?${after}[\\x60-\\x6f][^]{1,8}?${sender}`, 'g')
    const found = [...copy.toString('latin1').matchAll(gas)]
    expect(found).not.toEqual([])
    for (const { index } of found) copy[index + 2] = (copy[index + 2] as number) ^ 1
    writeFileSync(dataFile(home), copy)
    expect(await refusal(...start())).toMatch(/block \d+: .*perihelion rollback/)
    expect(await refusal('db', 'check', '--home', home)).toContain('is wrong')
  })
})
