import { simulate } from './simulation.ts'

/** The long form: SEEDS runs of HEIGHTS heights each, from seed SEED on. Ends with a violation or a summary. */
const numberOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback)
const seeds = numberOf('SEEDS', 1000)
const heights = numberOf('HEIGHTS', 100)
const first = numberOf('SEED', 1)

const total = { heights: 0, rounds: 0, crashes: 0, included: 0 }
const startedAt = performance.now()
const rate = (): string =>
  `${(total.heights / ((performance.now() - startedAt) / 1000)).toFixed(0)} heights a second`
for (let seed = first; seed < first + seeds; seed++) {
  const result = await simulate({ seed, heights })
  if (result.violation !== undefined) {
    process.stderr.write(`seed ${seed}, after ${result.heights} heights: ${result.violation.message}\n`)
    process.exitCode = 1
    break
  }
  for (const name of ['heights', 'rounds', 'crashes', 'included'] as const) total[name] += result[name]
  if ((seed - first) % 10 === 9) process.stderr.write(`seed ${seed}: ${total.heights} heights, ${rate()}\n`)
}
process.stdout.write(`${JSON.stringify({ ...total, rate: rate() })}\n`)
