import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { workerUrl } from '../../../src/base/threads/builtFiles.ts'
import { defaultResultsLimits } from '../../../src/comet/client/resultsStream.ts'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { inspect, Opened } from './harness.ts'

const script = fileURLToPath(new URL('./followProcess.ts', import.meta.url))
const isBuilt = existsSync(workerUrl('follow'))

const opened = new Opened()
afterEach(() => opened.closeAll())

const megabyte = 1_000_000
const callTimeoutMs = 120_000
const patienceMs = 300_000
/** The size of the results of one block: a piece of it in each test run. */
const resultsMb = Number(process.env.RESULTS_MB ?? 50)
const family = 'cosmos-evm-0.7'
const transactions = 200
const largeAt = 4
const length = 6

/** A chain one block of which has results of so many bytes of JSON. */
const chainWith = (bytes: number) =>
  new SyntheticChain({
    family,
    length,
    content: { transactions },
    maxGas: -1n,
    // The data of a result is base64.
    returnBytes: (height) => (height === largeAt ? Math.floor((bytes / transactions) * 0.75) : 0),
  })

/** Follows a chain in a process of its own; returns the most memory that it had resident, in MB. */
const peakOf = async (chain: SyntheticChain): Promise<number> => {
  const text = chain.results(largeAt) // made once, because it takes long
  const { results } = chain
  chain.results = (height) => (height === largeAt ? text : results.call(chain, height))
  const replay = await opened.serve({ chain })
  const path = opened.folder()
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, family, replay.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  opened.add({ close: () => void child.kill('SIGKILL') })
  const exit = once(child, 'exit')
  let last = 0
  child.stdout.on('data', (text: Buffer) => {
    last = Number(text.toString().trim().split('\n').at(-1))
  })
  await eventually(() => last >= length || child.exitCode !== null, 300_000)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  child.kill('SIGTERM')
  await exit
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length })
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

describe('results that are too large to be held', slow, () => {
  test(`of ${resultsMb} MB are followed in bounded memory`, async (ctx) => {
    if (!isBuilt) ctx.skip('the program is not built')
    const small = await peakOf(chainWith(0))
    const large = await peakOf(chainWith(resultsMb * megabyte))
    process.stdout.write(
      `${Math.round(small)} MB resident without, ${Math.round(large)} MB with ${resultsMb} MB\n`,
    )
    // Parsed as a whole, their text, its buffer and the decoded data alone are more than three times their size.
    expect(large - small).toBeLessThan(Math.max(100, resultsMb))
    if (resultsMb >= 500) expect(large).toBeLessThan(512)
  })

  test('in an event are fetched instead, and the chain is followed by headers', async () => {
    const chain = chainWith(20 * megabyte)
    chain.head = largeAt - 1
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, callTimeoutMs })
    await following.until(largeAt - 1, patienceMs)
    for (let height = largeAt; height <= length + 4; height++) {
      replay.grow()
      await following.until(height, patienceMs)
    }
    await following.close()
    expect(following.quarantined).toEqual([])
    expect(following.failures).toEqual([])
    expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length + 4 })
  })

  test('beyond the limits keep nobody from what is below, and are taken when they can be', {
    // The replayed node runs on this thread: on a busy machine it may be too late for the first check of a node.
    retry: 3,
  }, async () => {
    const chain = chainWith(0)
    const replay = await opened.serve({ chain })
    const alter = (method: string, result: unknown, params: Readonly<Record<string, unknown>>): unknown => {
      const { txs_results: results } = result as { txs_results?: { info?: string }[] }
      const [first] = results ?? []
      if (method === 'block_results' && params.height === String(largeAt) && first)
        first.info = 'x'.repeat(10 * megabyte)
      return result
    }
    await replay.setFaults({ alter })
    const path = opened.folder()
    const resultsLimits = { ...defaultResultsLimits, maxResultBytes: megabyte }
    const following = await opened.follow(chain, [replay], { path, resultsLimits, callTimeoutMs })
    await following.until(largeAt - 1, patienceMs)
    await eventually(() => following.untaken.length >= 2, patienceMs)
    expect(following.untaken[1]).toEqual({
      height: largeAt,
      reason: expect.stringContaining(`the results of block ${largeAt} are not taken`),
    })
    expect(following.heads.at(-1)?.number).toBe(largeAt - 1)
    expect(following.quarantined).toEqual([])
    await replay.setFaults({})
    await following.until(length, patienceMs)
    // Told after the head, so that it may come a moment later.
    await eventually(() => following.untaken.at(-1) === undefined, patienceMs)
    await following.close()
    expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length })
  })
})
