import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLightProvider, type LightProvider } from '../../../src/provider/index.ts'
import { describeNetwork } from '../../network/describeNetwork.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { slow } from '../../support/slow.ts'
import { type Answer, askProvider } from '../answers.ts'
import { type LightNetwork, startLightNetwork } from '../network.ts'
import { createQuestions, type Question } from '../questions.ts'
import { kinds } from './kinds.ts'
import { type Change, Recording, type Told } from './recording.ts'

/** `npm run long -- lies` asks more; a piece of it has a seed of its own. */
const mutations = Number(process.env.MUTATIONS ?? 300)
const seed = Number(process.env.SEED ?? 1)
const questionCount = Math.min(600, Math.max(60, Math.ceil(mutations / 50)))

const [liar, honest] = ['http://liar.example', 'http://honest.example'] as const
/** Shorter than the pause after each block: only the newest is young enough. */
const maxAgeMs = 100

interface Asked {
  readonly question: Question
  readonly truth: string
  /** The requests that an honest endpoint gets for it. */
  readonly bodies: readonly string[]
}

interface Counts {
  rejected: number
  harmless: number
  /** Nothing proves that no block has a transaction: a single endpoint can hide one (docs/light.md). */
  hidden: number
}

const isHidden = (method: string, alone: Answer): boolean =>
  method === 'eth_getTransactionByHash' &&
  'result' in alone &&
  (alone.result === null || alone.result === '0x')

describeNetwork('an endpoint that lies', slow, () => {
  let chain: LightNetwork
  let recording: Recording

  beforeAll(async () => {
    chain = await startLightNetwork(16)
    // The next block signs the last that is asked about.
    recording = new Recording(chain.urls[0] ?? '', chain.head + 1)
    const fetch = recording.fetch(liar, () => undefined)
    const provider = createLightProvider({ urls: [honest], trust: chain.trust, fetch, maxAgeMs: 60_000 })
    const { signedAt } = await provider.head()
    vi.useFakeTimers({ toFake: ['Date'], now: signedAt + 1 })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await chain?.network.stop()
  })

  const open = (urls: readonly string[], change: Change): LightProvider =>
    createLightProvider({
      urls,
      trust: chain.trust,
      fetch: recording.fetch(liar, change),
      maxAgeMs,
      refreshMs: 60_000,
      timeoutMs: 5_000,
    })

  const prepare = async (question: Question): Promise<Asked> => {
    const bodies: string[] = []
    const change: Change = (body) => void bodies.push(body)
    const truth = JSON.stringify(await askProvider(open([liar], change), question))
    return { question, truth, bodies }
  }

  /** Changes one answer of a question, always or only the first time; undefined if this kind of lie cannot change it. */
  const lieAbout = async (asked: Asked, kind: string, random: Random) => {
    const body = random.pick(asked.bodies)
    const told = await recording.reply(body)
    if (told.result === undefined) return undefined
    const { method } = Recording.asked(body)
    const others = recording.resultsOf(method)
    const result = kinds[kind]?.({ method, result: told.result, others, random })
    if (result === undefined || JSON.stringify(result) === JSON.stringify(told.result)) return undefined
    const isOnce = random.chance(0.5)
    const lying = (): Change => {
      let isTold = false
      return (given): Told | undefined => {
        if (given !== body || (isTold && isOnce)) return undefined
        isTold = true
        return { result }
      }
    }
    return { kind, method, result, lying }
  }

  test(`${mutations} changed answers: none is believed, and none fails beside an honest endpoint`, {
    timeout: 120_000 + mutations * 200,
  }, async () => {
    const random = createRandom(seed)
    const next = createQuestions(chain, random)
    const asked: Asked[] = []
    while (asked.length < questionCount) asked.push(await prepare(next()))
    const counts: Record<string, Counts> = {}
    const kindNames = Object.keys(kinds)
    for (let made = 0, tries = 0; made < mutations; ) {
      const one = random.pick(asked)
      // Each kind in its turn, since some can change few answers.
      const kind = kindNames[made % kindNames.length] as string
      const lie = await lieAbout(one, kind, random)
      if (lie === undefined) {
        if (++tries > 100_000) throw new Error(`no answer can be changed by: ${kind}`)
        continue
      }
      made++
      tries = 0
      counts[lie.kind] ??= { rejected: 0, harmless: 0, hidden: 0 }
      const count = counts[lie.kind] as Counts
      const about = { question: one.question, truth: one.truth, ...lie, made, seed }
      const alone: Answer = await askProvider(open([liar], lie.lying()), one.question)
      if (JSON.stringify(alone) === one.truth) count.harmless++
      else if (isHidden(lie.method, alone)) count.hidden++
      else if ('result' in alone) expect({ believed: alone, ...about }).toBeUndefined()
      else {
        count.rejected++
        // An error names the endpoint, and is not one of an execution.
        const { code, message, data } = alone.error
        const isFair = message.includes(liar) && code !== 3 && data === undefined
        if (!isFair) expect({ unfair: alone, ...about }).toBeUndefined()
      }
      const beside = await askProvider(open([liar, honest], lie.lying()), one.question)
      if (JSON.stringify(beside) !== one.truth) expect({ failed: beside, ...about }).toBeUndefined()
    }
    process.stderr.write(`seed ${seed}, ${mutations} changed answers: ${JSON.stringify(counts)}\n`)
    for (const kind of kindNames) expect(counts[kind]?.rejected ?? 0).toBeGreaterThan(0)
  })
})
