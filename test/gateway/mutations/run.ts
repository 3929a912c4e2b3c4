import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { toChainInfo, toConversionContext } from '../families/replayChainInfo.ts'
import type { BuiltBlock } from '../replay/block/buildBlock.ts'
import { families as allFamilies, type ReplayFamily } from '../replay/families.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { inconsistency } from './consistency.ts'
import { mutateReply, pathsOf } from './mutate.ts'
import { accept, type BlockUnderTest, type Checks, type Replies } from './pipeline.ts'

/** Mutated replies of every family through the path that a block takes into the store. */

export interface RunOptions {
  readonly cases: number
  readonly seed: number
  readonly checks: Checks
  /** Whose replies; of all families unless it is said. */
  readonly families?: readonly ReplayFamily[]
  readonly onProgress?: (done: number, tally: MutationStats) => void
}

export interface MutationStats {
  refused: number
  /** Changed in what no hash covers, or not changed in its meaning. */
  harmless: number
  /** Other errors than an UpstreamFault: each would take the follower down. */
  readonly crashes: string[]
  /** Passed on although the chain never committed to it. */
  readonly inconsistent: string[]
  /** The longest that one case took, in milliseconds. */
  slowest: number
}

interface Material {
  readonly site: BlockUnderTest
  readonly honest: BuiltBlock
  readonly replies: Replies
  /** Of each reply: its value and the places in it. */
  readonly parts: readonly { name: keyof Replies; value: unknown; paths: ReturnType<typeof pathsOf> }[]
}

const chainLength = 24

const materialOf = (family: ReplayFamily, seed: number): Material[] => {
  const chain = new SyntheticChain({ family, length: chainLength + 1, seed })
  const facts = toChainInfo(chain)
  return Array.from({ length: chainLength }, (_, at) => {
    const height = at + 1
    const [honest, parent] = [chain.built(height), chain.built(height - 1)]
    if (honest === undefined) throw new Error(`block ${height} is missing`)
    const value = JSON.parse(chain.newBlock(height) ?? '')
    const replies = {
      block: chain.block(height) ?? '',
      results: chain.results(height) ?? '',
      event: JSON.stringify({ query: '', data: { type: 'tendermint/event/NewBlock', value } }),
      next: chain.block(height + 1) ?? '',
    }
    const parts = (['block', 'results', 'event', 'next'] as const).map((name) => {
      const parsed: unknown = JSON.parse(replies[name])
      return { name, value: parsed, paths: pathsOf(parsed) }
    })
    const surroundings = toConversionContext(chain, height)
    const site = { height, parent: parent && { height: height - 1, hash: parent.hash }, surroundings, facts }
    return { site, honest, replies, parts }
  })
}

const mutated = ({ replies, parts }: Material, others: readonly Material[], random: Random): Replies => {
  const part = random.pick(parts)
  // Without the event the block and its results are asked for.
  const base = part.name === 'event' ? replies : { ...replies, event: undefined }
  if (random.chance(0.03)) return { ...base, [part.name]: random.pick(others).replies[part.name] }
  return { ...base, [part.name]: mutateReply(part.value, part.paths, random) }
}

const judge = (
  replies: Replies,
  { site, honest }: Material,
  checks: Checks,
  tally: MutationStats,
  name: string,
): void => {
  try {
    const problem = inconsistency(accept(replies, site, checks), honest)
    if (problem === undefined) tally.harmless++
    else tally.inconsistent.push(`${name}: ${problem}`)
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof SyntaxError) tally.refused++
    else tally.crashes.push(`${name}: ${(error as Error).stack ?? error}`)
  }
}

/** Every case is told apart by seed and number, so that it can be run again alone. */
export const runMutations = ({
  cases,
  seed,
  checks,
  families = allFamilies,
  onProgress,
}: RunOptions): MutationStats => {
  const tally: MutationStats = { refused: 0, harmless: 0, crashes: [], inconsistent: [], slowest: 0 }
  const materials = families.map((family) => materialOf(family, seed))
  const everything = materials.flat()
  for (const { site, honest, replies } of everything) {
    const problem = inconsistency(accept({ ...replies, event: undefined }, site, checks), honest)
    if (problem !== undefined)
      throw new Error(`${site.facts.family} ${site.height} before any change: ${problem}`)
  }
  for (let number = 0; number < cases; number++) {
    const random = createRandom(Math.imul(seed, 1_000_003) + number)
    const family = materials[number % materials.length] as Material[] // there is one for each family
    const material = random.pick(family)
    const replies = mutated(material, everything, random)
    const started = performance.now()
    judge(replies, material, checks, tally, `case ${number} of seed ${seed}, ${material.site.facts.family}`)
    tally.slowest = Math.max(tally.slowest, performance.now() - started)
    if (number % 1_000 === 999) onProgress?.(number + 1, tally)
  }
  return tally
}
