import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { type FuzzCase, randomCase } from './cases.ts'
import type { Outcome } from './outcome.ts'

/** What geth made of random transactions, one short line each: the cases themselves come from the seed. */
export const fixtureFile = new URL('./geth.txt', import.meta.url)

const seed = 31_337

export interface NumberedCase {
  readonly index: number
  readonly one: FuzzCase
}

export const gethCase = (index: number): NumberedCase => ({ index, one: randomCase(seed, index) })

/** The first cases that are not of Cancun, which the official archive covers. */
export const gethCases = (count: number): NumberedCase[] => {
  const found: NumberedCase[] = []
  for (let index = 0; found.length < count; index++) {
    const numbered = gethCase(index)
    if (numbered.one.fork !== 'cancun') found.push(numbered)
  }
  return found
}

/** Tells a changed generator from a changed machine. */
const inputDigest = ({ test }: FuzzCase): string =>
  toHex(keccak256(Buffer.from(JSON.stringify(test)))).slice(2, 10)

export const fixtureLine = ({ index, one }: NumberedCase, { valid, stateRoot, logs }: Outcome): string =>
  [index, inputDigest(one), ...(valid ? [stateRoot.slice(2, 18), logs.slice(2, 10)] : ['refused'])].join(' ')
