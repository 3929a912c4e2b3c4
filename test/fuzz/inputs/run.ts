import { createRandom } from '../../support/random.ts'
import { mutate } from './mutate.ts'
import type { InputTarget } from './target.ts'

export interface InputLimits {
  readonly seed: number
  readonly count: number
  readonly onProgress?: ((text: string) => void) | undefined
}

export interface InputReport {
  readonly name: string
  readonly seed: number
  readonly inputs: number
  readonly taken: number
  readonly refused: number
  /** How many different reasons there were; few mean that the inputs do not come far. */
  readonly reasons: number
  readonly slowestMs: number
  /** Each with its input, as it is kept: `<what> <hex>`. */
  readonly problems: readonly string[]
}

/** The longest time for an input; no bound that a machine could miss, but one that an endless loop crosses. */
const maxMs = 20_000
const maxProblems = 20
const progressMs = 5_000

/** Digits in a reason are of the input; without them reasons can be counted. */
const toReason = (text: string): string => text.replace(/0x[0-9a-f]*|[0-9]+|"[^"]*"/gi, '#').slice(0, 80)

/** Has a target read mutated inputs. */
export const runInputs = async (target: InputTarget, limits: InputLimits): Promise<InputReport> => {
  const random = createRandom(limits.seed)
  const seeds = target.seeds.map((seed) => Buffer.from(seed))
  const words = target.words.map((word) => Buffer.from(word as Uint8Array)) // a text or bytes
  const reasons = new Set<string>()
  const problems: string[] = []
  let taken = 0
  let slowestMs = 0
  let inputs = 0
  let toldAt = performance.now()
  for (; inputs < limits.count && problems.length < maxProblems; inputs++) {
    const input = mutate(seeds, words, random)
    const startedAt = performance.now()
    try {
      const { refused } = await target.read(input)
      if (refused === undefined) taken++
      else reasons.add(toReason(refused))
    } catch (error) {
      problems.push(describeProblem(String(error), input))
    }
    const ms = performance.now() - startedAt
    slowestMs = Math.max(slowestMs, ms)
    if (ms > maxMs) problems.push(describeProblem(`it took ${Math.round(ms)} ms`, input))
    if (performance.now() - toldAt > progressMs) {
      toldAt = performance.now()
      limits.onProgress?.(`${target.name}: ${inputs + 1} of ${limits.count}, ${problems.length} problems`)
    }
  }
  const refused = inputs - taken - problems.length
  return {
    name: target.name,
    seed: limits.seed,
    inputs,
    taken,
    refused,
    reasons: reasons.size,
    slowestMs: Math.round(slowestMs),
    problems,
  }
}

const describeProblem = (what: string, input: Buffer): string =>
  `${what.split('\n', 1)[0]} ${input.toString('hex')}`

export const describeInputReport = (report: InputReport): string => {
  const { name, seed, inputs, taken, refused, reasons, slowestMs, problems } = report
  return (
    `${name}: ${inputs} inputs from seed ${seed}, ${taken} taken, ${refused} rejected for ${reasons} reasons, ` +
    `the slowest ${slowestMs} ms, ${problems.length} problems`
  )
}

/** Returns the target with a defect: what is refused for its deep reason is thrown as an error that nobody expects. */
export const withDefect = (target: InputTarget): InputTarget => ({
  ...target,
  read: async (input) => {
    const reading = await target.read(input)
    if (reading.refused !== undefined && target.deepReason.test(reading.refused))
      throw new TypeError(`planted: ${reading.refused}`)
    return reading
  },
})
