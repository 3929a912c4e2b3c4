import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import { verifyHeader } from '../../../src/light/verifyHeader.ts'
import { createRandom } from '../../support/random.ts'
import { Opened } from '../follow/harness.ts'
import { headerHash } from '../replay/block/comet.ts'
import { commitJson, validatorOf, validatorsHash, validatorsJson } from '../replay/block/validators.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { measureOwnStates } from './ownStateCost.ts'
import { measureStates } from './stateCost.ts'

/** `npm run long -- lightCost`: the CPU time of an answer's proof, of a header's, and of following with and without proofs. */

const rules = { chainId: 'cost-1', trustingPeriodMs: undefined, maxClockDriftMs: 10_000 }
const rounds = 30
const random = createRandom(1)

const cpuMs = async (work: () => Promise<void> | void): Promise<number> => {
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}

const template = new SyntheticChain({ family: 'cosmos-evm-0.7', content: 'empty', length: 2 })

const measureHeader = async (count: number): Promise<string> => {
  const validators = Array.from({ length: count }, () => validatorOf(random.bytes(32), 1_000))
  const hash = validatorsHash(validators)
  const signedAt = (height: number): string => {
    const built = template.built(1)
    if (built === undefined) throw new Error('there is no block')
    const { seconds, nanos } = built.header.time
    const header = {
      ...built.header,
      chainId: rules.chainId,
      height,
      time: { seconds: seconds + height, nanos },
      validatorsHash: hash,
      nextValidatorsHash: hash,
    }
    return commitJson({ ...built, header, hash: headerHash(header) }, validators)
  }
  const open = () => new ValidatorSet(parseValidators(JSON.parse(validatorsJson(1, validators))).validators)
  const set = open()
  const [first, ...others] = Array.from({ length: rounds + 1 }, (_, at) => signedAt(1 + at * 2))
  const { header } = parseCommitReply(JSON.parse(first ?? ''))
  const trusted = { header, validators: set }
  const verifyAll = async (): Promise<void> => {
    for (const text of others) {
      const found = { ...parseCommitReply(JSON.parse(text)), validators: set }
      if (!(await verifyHeader(trusted, found, rules, Date.now()))) throw new Error('it is not trusted')
    }
  }
  await verifyAll()
  const proof = await cpuMs(verifyAll)
  const sets = await cpuMs(() => {
    for (let at = 0; at < rounds; at++) open()
  })
  const perRound = (total: number): string => (total / rounds).toFixed(2)
  return `${count} validators: ${perRound(proof)} ms for a header, ${perRound(sets)} ms for a new set of known keys`
}

const blocks = 1_000

const measureFollowing = async (isProven: boolean): Promise<number> => {
  const opened = new Opened()
  try {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', content: 'empty', length: blocks })
    const replay = await opened.serve({ chain })
    chain.built(blocks)
    const path = opened.folder()
    const trust = {
      path: `${path}.trust`,
      root: undefined,
      trustingPeriodMs: undefined,
      maxClockDriftMs: 10_000,
    }
    return await cpuMs(async () => {
      const following = await opened.follow(chain, [replay], { path, ...(isProven ? { trust } : {}) })
      await following.until(blocks, 600_000)
    })
  } finally {
    await opened.closeAll()
  }
}

for (const line of await measureStates(cpuMs)) process.stdout.write(`${line}\n`)
for (const line of await measureOwnStates(cpuMs)) process.stdout.write(`of our own chain, ${line}\n`)
for (const count of [4, 50, 150]) process.stdout.write(`${await measureHeader(count)}\n`)
await measureFollowing(false)
const without: number[] = []
const proven: number[] = []
for (let round = 0; round < 3; round++) {
  without.push(await measureFollowing(false))
  proven.push(await measureFollowing(true))
}
const show = (all: readonly number[]): string => all.map((ms) => (ms / blocks).toFixed(2)).join(', ')
process.stdout.write(
  `backfill of ${blocks} empty blocks, CPU ms a block with the node that serves them: without proofs ${show(without)}; with ${show(proven)}\n`,
)
