import { parseArgs } from 'node:util'
import { families } from '../replay/families.ts'
import { allowedMs, runEndToEnd } from './endToEnd.ts'
import { allChecks } from './pipeline.ts'
import { runMutations } from './run.ts'

/** `npm run long -- gatewayMutations -- --cases 200000 --seed 1` */

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    /** Of each family, through the HTTP of a running gateway. */
    requests: { type: 'string', default: '500' },
  },
})
const cases = Number(values.cases)
const seed = Number(values.seed)
const started = performance.now()
const seconds = (): number => (performance.now() - started) / 1000

const tally = runMutations({
  cases,
  seed,
  checks: allChecks,
  onProgress: (done, { crashes, inconsistent }) => {
    const rate = done / seconds()
    const left = ((cases - done) / rate).toFixed(0)
    const bad = crashes.length + inconsistent.length
    process.stderr.write(`${done} of ${cases}, ${rate.toFixed(0)}/s, ${left} s left, ${bad} bad\n`)
  },
})

for (const problem of [...tally.crashes, ...tally.inconsistent].slice(0, 20))
  process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${cases} mutated replies from seed ${seed}: ${tally.refused} refused, ${tally.harmless} harmless, ` +
    `${tally.crashes.length} crashes, ${tally.inconsistent.length} inconsistent, ` +
    `the slowest ${tally.slowest.toFixed(1)} ms, ${seconds().toFixed(0)} s\n`,
)
let isBad = tally.crashes.length + tally.inconsistent.length > 0
for (const family of families) {
  const { requests, mutated, problems, slowestMs, slowestHungMs } = await runEndToEnd(
    family,
    Number(values.requests),
    seed,
  )
  if (problems.length > 0 || Math.max(slowestMs, slowestHungMs) > allowedMs) isBad = true
  process.stdout.write(
    `${family}: ${requests} requests beside ${mutated} mutated replies, ${problems.length} problems, the slowest ` +
      `${slowestMs.toFixed(0)} ms, of silent nodes ${slowestHungMs.toFixed(0)} ms (allowed ${allowedMs.toFixed(0)})\n`,
  )
  for (const problem of problems.slice(0, 5)) process.stdout.write(`${problem}\n`)
}
process.exit(isBad ? 1 : 0)
