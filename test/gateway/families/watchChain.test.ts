import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/base/logging/log.ts'
import { identifyChain } from '../../../src/gateway/identity/identifyChain.ts'
import { watchChain } from '../../../src/gateway/identity/watchChain.ts'
import { UpstreamClient } from '../../../src/gateway/upstreams/upstreamClient.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { Opened } from '../follow/harness.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

test('an upgrade is found after a restart that is too short for the node to be called away', async () => {
  const home = temporaryHome()
  const opened = new Opened()
  const log = createLogger('silent')
  const { signal } = new AbortController()
  try {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.4', length: 8 })
    const upgraded = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 8 })
    const replay = await opened.serve({ chain })
    const upstreams = new UpstreamClient({ nodes: [{ node: replay.url }], callTimeoutMs: 10_000 }, log)
    opened.add(upstreams)
    const { chainInfo: known } = await identifyChain(home, {}, { upstreams, log }, signal)
    const watch = watchChain(
      { known, overrides: {}, isUnconfirmed: false, pauseMs: 50 },
      { upstreams, log, onDetected: () => {} },
    )
    opened.add(watch)
    await replay.setFaults({ down: true })
    chain.query = upgraded.query.bind(upgraded)
    await replay.setFaults({})
    // A quiet gateway: few calls, of which the first may find the line broken.
    await eventually(async () => {
      await sleep(200)
      return (await upstreams.status(signal).catch(() => undefined)) !== undefined
    })
    await eventually(() => watch.findChange() !== undefined)
    expect(watch.findChange()).toContain('family')
  } finally {
    await opened.closeAll()
    rmSync(home, { recursive: true, force: true })
  }
})
