import { mkdirSync, writeFileSync } from 'node:fs'
import { runSoak } from './soak.ts'

/** `npm run long -- soak`: SECONDS of load from SEED on; CONTROL=1 with clients that leave something behind. */
const report = await runSoak({
  seconds: Number(process.env.SECONDS ?? 300),
  seed: Number(process.env.SEED ?? 1),
  load: Number(process.env.LOAD ?? 0.7),
  returnSeconds: 60,
  isLeaking: process.env.CONTROL === '1',
  onProgress: (text) => void process.stderr.write(`${text}\n`),
})
mkdirSync('build', { recursive: true })
writeFileSync('build/soak.json', `${JSON.stringify(report, undefined, 2)}\n`)
const { seconds, seed, capacity, rate, actions, before, after, memory, problems } = report
console.table({ before, after })
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${seconds} s from seed ${seed}: ${actions} actions, ${rate} a second of ${capacity}; memory ${memory.first} MB in the ` +
    `first third, ${memory.last} MB in the last (${memory.perHour} MB an hour); ${problems.length} problems\n`,
)
process.exit(problems.length > 0 ? 1 : 0)
