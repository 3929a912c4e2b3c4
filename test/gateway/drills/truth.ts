import { isDeepStrictEqual } from 'node:util'
import { toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import type { Random } from '../../support/random.ts'
import { expectedBlock } from '../replay/block/expected.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'

/** A question whose answer the chain knows. */
export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
  readonly isAnswer: (result: unknown) => boolean
}

type Json = Readonly<Record<string, unknown>>

const sameMembers = (found: unknown, expected: Json): boolean =>
  typeof found === 'object' &&
  found !== null &&
  Object.entries(expected).every(([name, value]) => isDeepStrictEqual((found as Json)[name], value))

const sameList = (found: unknown, expected: readonly Json[]): boolean =>
  Array.isArray(found) &&
  found.length === expected.length &&
  expected.every((one, at) => sameMembers(found[at], one))

/** Draws a question about a height of the chain. */
export const drawQuestion = (chain: SyntheticChain, height: number, random: Random): Question => {
  const built = chain.built(height)
  if (built === undefined) throw new Error(`there is no block ${height}`)
  const { block, receipts } = expectedBlock(built, 'prague')
  const at = toQuantity(height)
  const { address } = random.pick(chain.authors).key
  const { nonce, balance } = chain.world.account(address, height)
  const question = (
    method: string,
    params: readonly unknown[],
    isAnswer: (found: unknown) => boolean,
  ): Question => ({ method, params, isAnswer })
  const logs = receipts.flatMap((receipt) => receipt.logs as readonly Json[])
  const [receipt] = receipts
  return random.pick([
    question('eth_getBlockByNumber', [at, true], (found) => sameMembers(found, block)),
    question('eth_getBlockReceipts', [at], (found) => sameList(found, receipts)),
    question('eth_getLogs', [{ fromBlock: at, toBlock: at }], (found) => sameList(found, logs)),
    question('eth_getBalance', [toHex(address), at], (found) => found === toQuantity(balance)),
    question('eth_getTransactionCount', [toHex(address), at], (found) => found === toQuantity(nonce)),
    ...(receipt === undefined
      ? []
      : [
          question('eth_getTransactionReceipt', [receipt.transactionHash], (found) =>
            sameMembers(found, receipt),
          ),
        ]),
  ])
}

export interface LogPlace {
  readonly block: number
  readonly index: number
}

const logCount = (chain: SyntheticChain, height: number): number =>
  chain.built(height)?.executed.reduce((sum, { outcome }) => sum + outcome.logs.length, 0) ?? 0

/** Returns the place of the log that follows one; undefined if there is none yet. */
export const nextLog = (chain: SyntheticChain, { block, index }: LogPlace): LogPlace | undefined => {
  if (index + 1 < logCount(chain, block)) return { block, index: index + 1 }
  for (let height = block + 1; height <= chain.head; height++)
    if (logCount(chain, height) > 0) return { block: height, index: 0 }
  return undefined
}
