import type { ChainInfo } from '../cosmos/chainInfo.ts'
import type { Dialect } from '../cosmos/transaction/dialect.ts'
import { cosmosEvm01 } from './cosmosEvm01.ts'
import { cosmosEvm04 } from './cosmosEvm04.ts'
import { cosmosEvm05 } from './cosmosEvm05.ts'
import { cosmosEvm07 } from './cosmosEvm07.ts'
import { DetectionError } from './detect/detectionQueries.ts'
import { ethermint } from './ethermint.ts'
import { type Family, toDialect } from './family.ts'
import { perihelion } from './perihelion.ts'

/** All families, in the order in which detection tries them: the first that matches counts. */
export const families: readonly Family[] = [
  perihelion,
  ethermint,
  cosmosEvm01,
  cosmosEvm04,
  cosmosEvm05,
  cosmosEvm07,
]

const byName: ReadonlyMap<string, Family> = new Map(families.map((family) => [family.name, family]))

/** Returns the family of this name. Throws a DetectionError if there is none. */
export const familyNamed = (name: string): Family => {
  const family = byName.get(name)
  if (family === undefined)
    throw new DetectionError(
      `no family of chains is named ${name}: known are ${[...byName.keys()].join(', ')}`,
    )
  return family
}

/** Returns the family of a chain. Only its name is passed between threads. */
export const familyOf = ({ family }: Pick<ChainInfo, 'family'>): Family => familyNamed(family)

/** Returns the dialect of a chain. */
export const dialectOf = (chainInfo: Pick<ChainInfo, 'family' | 'evmPackage' | 'feeDenom'>): Dialect =>
  toDialect(familyOf(chainInfo), chainInfo)
