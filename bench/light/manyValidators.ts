import type { Fetch } from '../../src/provider/index.ts'
import { SyntheticChain } from '../../test/provider/syntheticChain.ts'
import { timed } from '../support/run/inProcess.ts'
import type { Measured } from '../support/run/part.ts'
import { type Client, openProven } from './clients.ts'

const validators = 100
const heights = 40
const runs = 9

/** Answers a second time what was answered before, so that nothing is signed while it is measured. */
const replaying = (ask: Fetch): Fetch => {
  const known = new Map<string, string>()
  return async (url, init) => {
    const body = String(init.body)
    const text = known.get(body) ?? (await (await ask(url, init)).text())
    known.set(body, text)
    return new Response(text)
  }
}

/** The figures of a chain of headers with so many validators, of whom all are the same at each height. */
export const measureManyValidators = async (what: 'start' | 'head'): Promise<Measured> => {
  const chain = new SyntheticChain({
    ...{ heights, validators, interval: 1, rotation: { every: 1_000, changes: 0 } },
    from: Math.floor(Date.now() / 1_000) - heights,
  })
  let latest = heights - 1
  const ask = replaying(chain.fetchAt(() => latest))
  const openOne = (): Client =>
    openProven('http://one.example', { height: 1, hash: chain.hashAt(1) }, 0, (url, init) =>
      ask(url, { ...init, body: String(init.body).replace('"latest"', `"0x${latest.toString(16)}"`) }),
    )
  const figures: { cpuMs: number; bytes: number }[] = []
  for (let run = 0; run <= runs; run++) {
    const client = openOne()
    const take = async (): Promise<void> => {
      const before = client.bytes()
      const { cpuMs } = await timed(() => client.head())
      // The first run has the responses signed.
      if (run > 0) figures.push({ cpuMs, bytes: client.bytes() - before })
    }
    latest = heights - 1
    if (what === 'start') await take()
    else {
      await client.head()
      latest = heights
      await take()
    }
    await client.close()
  }
  figures.sort((a, b) => a.cpuMs - b.cpuMs)
  return { figures: figures[Math.floor(figures.length / 2)] as (typeof figures)[number] }
}
