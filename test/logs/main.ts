import { runOracle } from './run.ts'

/** `npm run long -- logs`: CASES (10,000) random filters over random chains from SEED (1) on. */
const cases = Number(process.env.CASES ?? 10_000)
const seed = Number(process.env.SEED ?? 1)
const started = performance.now()
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0)

await runOracle({
  seed,
  cases,
  rounds: 25,
  onProgress: (done, logs) => {
    process.stderr.write(`${done} of ${cases} cases, ${logs} logs, ${seconds()} s\n`)
  },
})
process.stdout.write(`${cases} cases from seed ${seed}: all equal, ${seconds()} s\n`)
process.exit(0)
