import { defects, searchDefect } from './defects.ts'
import { simulate } from './simulation.ts'

/**
 * The long form: the planted defects, each with the seed that shows it (not with DEFECTS=0), then SEEDS runs of HEIGHTS heights
 * each, from seed SEED on. Ends at the first violation, or with a summary.
 */
const seeds = Number(process.env.SEEDS ?? 1000)
const heights = Number(process.env.HEIGHTS ?? 100)
const first = Number(process.env.SEED ?? 1)

for (const defect of process.env.DEFECTS === '0' ? [] : defects) {
  const { seed, heights: height, violation } = await searchDefect(defect)
  const isFound = violation !== undefined && defect.shows.includes(violation.kind)
  if (!isFound) process.exitCode = 1
  const found = isFound ? `found by seed ${seed} at height ${height}` : 'not found'
  process.stdout.write(`${defect.name}: ${found}: ${violation?.message.split('\n')[0]}\n`)
}

const crashPoints = new Set<string>()
const total = { heights: 0, rounds: 0, crashes: 0, included: 0, withoutRoom: 0 }
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
  for (const point of result.crashPoints) crashPoints.add(point)
  for (const name of ['heights', 'rounds', 'crashes', 'included', 'withoutRoom'] as const)
    total[name] += result[name]
  if ((seed - first) % 10 === 9) process.stderr.write(`seed ${seed}: ${total.heights} heights, ${rate()}\n`)
}
process.stdout.write(`${JSON.stringify({ ...total, crashPoints: [...crashPoints].sort(), rate: rate() })}\n`)
