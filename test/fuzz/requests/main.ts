import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInProcess } from './inProcess.ts'
import { describeReport } from './report.ts'
import { runOverWire } from './wire.ts'

/**
 * `npm run long -- fuzzRequests`: COUNT requests in process and WIRE_COUNT over the wire from SEED on, each part at most
 * SECONDS long (0: no limit). The report is written to REPORT.
 */
const seed = Number(process.env.SEED ?? 1)
const seconds = Number(process.env.SECONDS ?? 0)
const count = Number(process.env.COUNT ?? 200_000)
const wireCount = Number(process.env.WIRE_COUNT ?? 30_000)
const reportFile = process.env.REPORT ?? join(tmpdir(), 'perihelion-fuzz-requests.json')

const onProgress = (text: string): void => void process.stderr.write(`${text}\n`)
const reports = [
  await runInProcess({ seed, seconds, count, onProgress }),
  await runOverWire({ seed, seconds, count: wireCount, onProgress }),
]
writeFileSync(reportFile, `${JSON.stringify(reports, undefined, 2)}\n`)
for (const report of reports) {
  for (const problem of report.problems.slice(0, 20)) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${describeReport(report)}\n`)
}
process.stdout.write(`report: ${reportFile}\n`)
process.exit(reports.some(({ problemCount }) => problemCount > 0) ? 1 : 0)
