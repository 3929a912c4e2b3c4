import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../../src/base/log.ts'
import { UpstreamClient } from '../../../src/gateway/client/upstreamClient.ts'
import type { ChainInfo } from '../../../src/gateway/families/chainInfo.ts'
import { detectLater } from '../../../src/gateway/families/detectLater.ts'
import { identifyChain } from '../../../src/gateway/families/identifyChain.ts'
import { saveChainInfo } from '../../../src/gateway/families/savedChain.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { addressOf, Opened } from '../follow/harness.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { toChainInfo } from './replayChainInfo.ts'

const opened = new Opened()
const log = createLogger('silent')
const { signal } = new AbortController()
let home: string
beforeEach(() => {
  home = temporaryHome()
})
afterEach(async () => {
  await opened.closeAll()
  rmSync(home, { recursive: true, force: true })
})

/** A home that knows a chain, and a node that tells its status but answers no query. */
const start = async (changed: Partial<ChainInfo> = {}) => {
  const chain = new SyntheticChain({ family: 'ethermint', length: 8 })
  const known = { ...toChainInfo(chain), ...changed }
  saveChainInfo(home, known)
  const replay = await opened.serve({ chain })
  await replay.setFaults({ hangs: ['abci_query'] })
  const upstreams = new UpstreamClient({ nodes: [{ node: replay.url }], callTimeoutMs: 1_000 }, log)
  opened.add(upstreams)
  return { replay, upstreams, known }
}

test('a start that cannot detect the chain takes the one that the home knows', async () => {
  const { upstreams, known } = await start()
  const { chainInfo, height } = await identifyChain(home, {}, { upstreams, log }, signal)
  expect(chainInfo.nativeChainId).toBe(known.nativeChainId)
  expect(height).toBeUndefined()
})

test('it does not, if a node has told that it is of another one', async () => {
  const { upstreams } = await start({ nativeChainId: 'chain-a_7-1' })
  await expect(identifyChain(home, {}, { upstreams, log }, signal)).rejects.toThrow(/chain-a_7-1/)
})

test('the chain is detected as soon as a node answers, and what differs is told', async () => {
  const { replay, upstreams, known } = await start({ feeDenom: 'another' })
  const { chainInfo } = await identifyChain(home, {}, { upstreams, log }, signal)
  expect(chainInfo.feeDenom).toBe('another')
  const later = detectLater({ known: chainInfo, overrides: {}, pauseMs: 50 }, { upstreams, log }, signal)
  await replay.setFaults({})
  const { chainInfo: detected, differing } = (await later) ?? {}
  expect(detected).toMatchObject({ nativeChainId: known.nativeChainId, family: known.family })
  expect(differing).toContain('feeDenom')
})

test.each<ReplayFamily>(['ethermint', 'cosmos-evm-0.7', 'perihelion'])(
  'nothing of %s differs from what was saved of it',
  async (family) => {
    const replay = await opened.serve({ chain: new SyntheticChain({ family, length: 8 }) })
    const connect = (): UpstreamClient => {
      const upstreams = new UpstreamClient({ nodes: [addressOf(replay)], callTimeoutMs: 10_000 }, log)
      opened.add(upstreams)
      return upstreams
    }
    saveChainInfo(home, (await identifyChain(home, {}, { upstreams: connect(), log }, signal)).chainInfo)
    await replay.setFaults({ down: true })
    const upstreams = connect()
    const { chainInfo } = await identifyChain(home, {}, { upstreams, log }, signal)
    const later = detectLater({ known: chainInfo, overrides: {}, pauseMs: 50 }, { upstreams, log }, signal)
    await replay.setFaults({})
    expect((await later)?.differing).toEqual([])
  },
)
