import { describeInputReport, runInputs } from './run.ts'
import { inputTargets } from './targets.ts'

/** `npm run long -- fuzzInputs [name…]`: COUNT mutated inputs for each reader, from SEED on. */
const seed = Number(process.env.SEED ?? 1)
const count = Number(process.env.COUNT ?? 100_000)
const chosen = process.argv.slice(2)

let isBad = false
for (const [name, create] of Object.entries(inputTargets)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const target = create()
  const report = await runInputs(target, {
    seed,
    count,
    onProgress: (text) => void process.stderr.write(`${text}\n`),
  })
  await target.close?.()
  for (const problem of report.problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${describeInputReport(report)}\n`)
  isBad ||= report.problems.length > 0
}
process.exit(isBad ? 1 : 0)
