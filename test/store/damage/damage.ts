import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkData } from '../../../src/app/dataCheck.ts'
import { checkDataFile } from '../../../src/base/lmdbFile/check.ts'
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

/** Returns a digest of every row of every table; undefined if the file cannot be read as one. */
export const digestRows = (path: string): string | undefined => {
  const hash = createHash('sha256')
  const part = (bytes: Buffer): void => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  const { problems } = checkDataFile(path, {
    onRow: (table, key, value) => {
      part(Buffer.from(table))
      part(key)
      part(value)
    },
  })
  return problems.length === 0 ? hash.digest('hex') : undefined
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
    return { name, outcome: digestRows(path) === digest ? 'harmless' : 'missed' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const findProblem = async (path: string, checks: Checks): Promise<string | undefined> => {
  if (checks === 'none') return undefined
  if (checks === 'pages') return checkDataFile(path).problems[0]
  return (await checkData(path)).problems[0]
}
