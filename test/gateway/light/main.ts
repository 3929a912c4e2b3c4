import { type FuzzOptions, type FuzzTally, runFuzz } from './fuzz.ts'
import { runStateFuzz } from './stateFuzz.ts'

/** `COUNT=1000000 SEED=1 npm run long -- lightFuzz`: half of the lies are about headers, half about states; `ABOUT` chooses. */

const count = Number(process.env.COUNT ?? '1000000')
const seed = Number(process.env.SEED ?? '1')
const began = process.cpuUsage()
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

/** Runs lies and a control that believes them. Returns whether none was believed, and some of the control. */
const run = async (
  about: string,
  cases: number,
  fuzz: (options: FuzzOptions) => Promise<FuzzTally>,
): Promise<boolean> => {
  const tally = await fuzz({
    cases,
    seed,
    onProgress: (done, { wrong, crashes }) =>
      void process.stderr.write(
        `${about}: ${done} of ${cases}, ${wrong.length} believed, ${crashes.length} crashes, ${cpuSeconds().toFixed(0)} CPU s\n`,
      ),
  })
  const control = await fuzz({ cases: Math.min(cases, 10_000), seed, isVerified: false })
  for (const problem of [...tally.wrong, ...tally.crashes].slice(0, 20)) process.stdout.write(`${problem}\n`)
  process.stdout.write(
    `${cases} lies about ${about} from seed ${seed}: ${tally.refused} refused, ${tally.harmless} harmless, ${tally.wrong.length} believed, ` +
      `${tally.crashes.length} crashes; without proofs ${control.wrong.length} of ${control.cases} are believed\n`,
  )
  return tally.wrong.length + tally.crashes.length === 0 && control.wrong.length > 0
}

const kinds = { states: runStateFuzz, headers: runFuzz }
const chosen = Object.entries(kinds).filter(([about]) => (process.env.ABOUT ?? about) === about)
let isSound = chosen.length > 0
for (const [about, fuzz] of chosen)
  isSound = (await run(about, Math.floor(count / chosen.length), fuzz)) && isSound
process.exit(isSound ? 0 : 1)
