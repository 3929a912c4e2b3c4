import type { Dialect } from '../../cosmos/transaction/dialect.ts'
import type { ChainFacts } from './chainFacts.ts'
import { cosmosEvm01 } from './cosmosEvm01.ts'
import { cosmosEvm04 } from './cosmosEvm04.ts'
import { cosmosEvm05 } from './cosmosEvm05.ts'
import { cosmosEvm07 } from './cosmosEvm07.ts'
import { DetectionError } from './detect/detectionQueries.ts'
import { ethermint } from './ethermint.ts'
import { type Family, toDialect } from './family.ts'
import { perihelion } from './perihelion.ts'

/** Every family, in the order in which a chain is asked whether it is of them: the first that matches counts. */
export const families: readonly Family[] = [
  perihelion,
  ethermint,
  cosmosEvm01,
  cosmosEvm04,
  cosmosEvm05,
  cosmosEvm07,
]

const byName: ReadonlyMap<string, Family> = new Map(families.map((family) => [family.name, family]))

/** Returns the family of this name. Throws a DetectionError where there is none. */
export const familyNamed = (name: string): Family => {
  const family = byName.get(name)
  if (family === undefined)
    throw new DetectionError(
      `no family of chains is named ${name}: known are ${[...byName.keys()].join(', ')}`,
    )
  return family
}

/** Returns the family of a chain; its name is what crosses threads. */
export const familyOf = ({ family }: Pick<ChainFacts, 'family'>): Family => familyNamed(family)

/** Returns the form of a chain's transactions. */
export const dialectOf = (facts: Pick<ChainFacts, 'family' | 'evmPackage' | 'feeDenom'>): Dialect =>
  toDialect(familyOf(facts), facts)
