import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkData } from '../../../src/app/dataCheck.ts'
import { checkDataFile } from '../../../src/base/lmdb/file/check.ts'
import { heightBytes, readHeight } from '../../../src/state/rows/rows.ts'
import { decodePiece } from '../../../src/state/trie/nodeTable.ts'
import { nodeRowAt } from '../../../src/state/trie/nodeVersion.ts'
import { createRandom } from '../../support/random.ts'

/** What is done to a data file, and how it is described. */
export interface Damage {
  readonly name: string
  apply(file: Buffer): Buffer
}

/** What came of it: a problem was told, no row is another one, or the damage was missed. */
export interface Verdict {
  readonly name: string
  readonly outcome: 'found' | 'harmless' | 'missed'
  readonly problem?: string | undefined
}

/** The checks that run: all, or only those of the pages or of the rows, as controls. */
export type Checks = 'all' | 'pages' | 'none'

const pageSize = 8_192
const metaBytes = 168

const flip = (offset: number, bit: number): Damage => ({
  name: `bit ${bit} of byte ${offset} (page ${Math.floor(offset / pageSize)} + ${offset % pageSize})`,
  apply: (file) => {
    const copy = Buffer.from(file)
    copy[offset] = (copy[offset] as number) ^ (1 << bit)
    return copy
  },
})

const truncate = (size: number): Damage => ({
  name: `cut to ${size} bytes`,
  apply: (file) => Buffer.from(file.subarray(0, size)),
})

const overwrite = (page: number, kind: 'zeros' | 'noise', seed: number): Damage => ({
  name: `page ${page} is ${kind}`,
  apply: (file) => {
    const copy = Buffer.from(file)
    const bytes = kind === 'zeros' ? new Uint8Array(pageSize) : createRandom(seed).bytes(pageSize)
    copy.set(bytes.subarray(0, Math.max(0, copy.length - page * pageSize)), page * pageSize)
    return copy
  },
})

/** Returns damage number `index` of a seed: mostly bits anywhere, and bits of the meta pages, lost ends and lost pages. */
export const chooseDamage = (file: Buffer, seed: number, index: number): Damage => {
  const random = createRandom(Math.imul(seed, 1_000_003) + index)
  random.fraction()
  const pages = Math.floor(file.length / pageSize)
  switch (random.below(10)) {
    case 0:
      return flip(random.below(2) * pageSize + random.below(metaBytes), random.below(8))
    case 1:
      return truncate(random.chance(0.8) ? random.below(pages) * pageSize : random.below(file.length))
    case 2:
      return overwrite(random.below(pages), random.pick(['zeros', 'noise']), index)
    default:
      return flip(random.below(file.length), random.below(8))
  }
}

/** Clears what a trie node of the oldest state or before says of its past, which is gone and not read any more. */
const withoutDeadReferences = (table: string, value: Buffer, oldest: number): Buffer => {
  const copy = Buffer.from(value)
  const clear = (stored: Uint8Array | undefined): void => {
    if (stored && readHeight(stored, 0) <= oldest) stored.fill(0, heightBytes, nodeRowAt)
  }
  if (table === 'state.nodes') clear(copy)
  if (table === 'state.nodeHistory') for (const { before } of decodePiece(copy)) clear(before)
  return copy
}

/** Returns a digest of every row of every table; undefined if the file cannot be read as one. */
export const digestRows = (path: string): string | undefined => {
  const hash = createHash('sha256')
  const part = (bytes: Buffer): void => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  let oldest = 0
  const { problems } = checkDataFile(path, {
    onRow: (table, key, value) => {
      // Tables come in the order of their names.
      if (table === 'state.meta' && key.toString() === 'oldest') oldest = readHeight(value, 0)
      part(Buffer.from(table))
      part(key)
      part(withoutDeadReferences(table, value, oldest))
    },
  })
  return problems.length === 0 ? hash.digest('hex') : undefined
}

const readRows = (path: string): readonly string[] => {
  const rows: string[] = []
  checkDataFile(path, {
    onRow: (table, key, value) => rows.push(`${table} ${key.toString('hex')} ${value.toString('hex')}`),
  })
  return rows
}

/** Returns the first row that differs, as it is and as it was. */
const findChangedRow = (original: string, damaged: string): string => {
  const before = readRows(original)
  const after = readRows(damaged)
  const index = after.findIndex((row, at) => row !== before[at])
  const [is = '', was = ''] = [after[index], before[index]]
  let at = 0
  while (at < is.length && is[at] === was[at]) at++
  const around = (row: string): string => row.slice(Math.max(0, at - 60), at + 40)
  return `${is.slice(0, 90)} at ${at} of ${is.length}: …${around(is)}… was …${around(was)}…`
}

/** Damages a copy of the file and checks it. */
export const tryDamage = async (
  file: Buffer,
  digest: string | undefined,
  damage: Damage,
  folder: string,
  checks: Checks,
): Promise<Verdict> => {
  const { name } = damage
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'chain.mdb')
  writeFileSync(path, damage.apply(file))
  try {
    const problem = await findProblem(path, checks)
    if (problem !== undefined) return { name, outcome: 'found', problem }
    if (digestRows(path) === digest) return { name, outcome: 'harmless' }
    const original = join(folder, 'original.mdb')
    writeFileSync(original, file)
    return { name: `${name}: ${findChangedRow(original, path)}`, outcome: 'missed' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const findProblem = async (path: string, checks: Checks): Promise<string | undefined> => {
  if (checks === 'none') return undefined
  if (checks === 'pages') return checkDataFile(path).problems[0]
  return (await checkData(path)).problems[0]
}
