import { runFuzz } from './fuzz.ts'

/** `COUNT=1000000 SEED=1 npm run long -- lightFuzz` */

const cases = Number(process.env.COUNT ?? '1000000')
const seed = Number(process.env.SEED ?? '1')
const began = process.cpuUsage()
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}
const tally = await runFuzz({
  cases,
  seed,
  onProgress: (done, { wrong, crashes }) =>
    void process.stderr.write(
      `${done} of ${cases}, ${wrong.length} believed, ${crashes.length} crashes, ${cpuSeconds().toFixed(0)} CPU s\n`,
    ),
})
const control = await runFuzz({ cases: Math.min(cases, 10_000), seed, isVerified: false })
for (const problem of [...tally.wrong, ...tally.crashes].slice(0, 20)) process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${cases} lies from seed ${seed}: ${tally.refused} refused, ${tally.harmless} harmless, ${tally.wrong.length} believed, ` +
    `${tally.crashes.length} crashes; without signatures ${control.wrong.length} of ${control.cases} are believed\n`,
)
process.exit(tally.wrong.length + tally.crashes.length > 0 || control.wrong.length === 0 ? 1 : 0)
