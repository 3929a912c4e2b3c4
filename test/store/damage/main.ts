import { runDamage } from './run.ts'
import { createSample } from './sample.ts'

/**
 * `npm run long -- damage`: COUNT (4,096) times a bit is flipped, an end or a page lost, from SEED (1) on, in the file of
 * an archive and in that of a node that prunes. Everything that changes a row has to be found, without the end of a
 * process; without the checks of rows some of it must not be.
 */
const count = Number(process.env.COUNT ?? 4_096)
const seed = Number(process.env.SEED ?? 1)

for (const pruning of ['archive', 'everything'] as const) {
  const file = await createSample({ seed, transactions: 40, pruning })
  const whole = await runDamage({ file, seed, count: 0, checks: 'all' })
  if (whole.problem !== undefined) throw new Error(`a whole file: ${whole.problem}`)
  const startedAt = performance.now()
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(0)
  const { found, harmless, missed, died } = await runDamage({
    file,
    seed,
    count,
    checks: 'all',
    onFault: (fault) => process.stderr.write(`${fault}\n`),
    onProgress: (done) => {
      if (done % 200 === 0) process.stderr.write(`${pruning}: ${done} of ${count}, ${seconds()} s\n`)
    },
  })
  const control = await runDamage({ file, seed, count: Math.min(count, 300), checks: 'pages' })
  process.stdout.write(
    `${pruning}: ${file.length} bytes, ${count} times damaged from seed ${seed}: ${found} found, ${harmless} change no row, ` +
      `${missed.length} missed, ${died.length} ended the process, ${seconds()} s; control: ${control.missed.length} missed\n`,
  )
  if (missed.length + died.length > 0 || control.missed.length === 0) process.exitCode = 1
}
process.exit()
