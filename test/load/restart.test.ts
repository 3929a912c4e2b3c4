import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { makeBrokenBuild } from './brokenBuild.ts'
import { percentile } from './flood/measure.ts'
import { restartRounds } from './restartRounds.ts'

const rounds = Number(process.env.RESTART_ROUNDS ?? 3)
const seed = Number(process.env.SEED ?? 20_261_115)

/** The points around and inside of the one transaction of a block, at which the process ends. */
const commitPoints = [
  'finalize:before',
  'finalize:after',
  'commit:before',
  'commit:inside',
  'commit:written',
  'commit:done',
]
const pointRounds = process.env.RESTART_ROUNDS === undefined ? 3 : Math.max(commitPoints.length, rounds)

/** The whole of it: RESTART_ROUNDS=100 (npm run long -- restart). */
describe('SIGKILL under load', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test(`nothing that was acknowledged is lost in ${rounds} rounds, and every block executes to the same hash`, {
    ...slow,
    timeout: 60_000 + rounds * 30_000,
  }, async () => {
    const starts: number[] = []
    const { acknowledged, head } = await restartRounds({
      home,
      rounds,
      seed,
      onRound: (round, facts) => {
        starts.push(facts.readyMs)
        if (rounds > 10)
          console.log(
            `round ${round}: head ${facts.head}, ${facts.acknowledged} acknowledged, ready after ${Math.round(facts.readyMs)} ms`,
          )
      },
    })
    const part = (share: number): string => percentile(starts, share).toFixed(0)
    if (rounds > 10) console.log(`until ready: median ${part(0.5)}, p99 ${part(0.99)}, slowest ${part(1)} ms`)
    expect(acknowledged).toBeGreaterThan(0)
    expect(head).toBeGreaterThan(0)
  })

  test(`at every step of a commit: nothing that was acknowledged is lost in ${pointRounds} rounds`, {
    ...slow,
    timeout: 60_000 + pointRounds * 30_000,
  }, async () => {
    const failPoint = (round: number): string => commitPoints[round % commitPoints.length] as string
    const { acknowledged } = await restartRounds({ home, rounds: pointRounds, seed, failPoint })
    expect(acknowledged).toBeGreaterThan(0)
  })

  test('a commit in two steps is found out', slow, async () => {
    const broken = makeBrokenBuild()
    try {
      const run = restartRounds({ home, rounds: 12, seed, mainFile: broken.mainFile })
      await expect(run).rejects.toThrow()
    } finally {
      broken.remove()
    }
  })
})
