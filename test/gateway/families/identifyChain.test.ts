import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/base/logging/log.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { detectLater } from '../../../src/gateway/identity/detectLater.ts'
import { identifyChain } from '../../../src/gateway/identity/identifyChain.ts'
import { saveChainInfo } from '../../../src/gateway/identity/savedChain.ts'
import { watchChain } from '../../../src/gateway/identity/watchChain.ts'
import { UpstreamClient } from '../../../src/gateway/upstreams/upstreamClient.ts'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { addressOf, Opened } from '../follow/harness.ts'
import { unknownPath } from '../replay/chain.ts'
import type { ReplayFamily } from '../replay/families.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
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

test('a start that cannot detect the chain takes the one that the home knows', slow, async () => {
  const { upstreams, known } = await start()
  const { chainInfo, height } = await identifyChain(home, {}, { upstreams, log }, signal)
  expect(chainInfo.nativeChainId).toBe(known.nativeChainId)
  expect(height).toBeUndefined()
})

test('it does not, if a node has told that it is of another one', slow, async () => {
  const { upstreams } = await start({ nativeChainId: 'chain-a_7-1' })
  await expect(identifyChain(home, {}, { upstreams, log }, signal)).rejects.toThrow(/chain-a_7-1/)
})

describe('a chain that is not as the home knew it', () => {
  const params = /Query\/Params$/
  /** A node that names another coin than the chain has. */
  const liar: Faults = {
    alter: (method, result, { path }) => {
      if (method !== 'abci_query' || !params.test(String(path))) return result
      const { response } = result as { response: { value?: string | null } }
      if (!response.value) return result
      const value = Buffer.from(response.value, 'base64').toString('latin1').replaceAll('aphoton', 'bphoton')
      return { response: { ...response, value: Buffer.from(value, 'latin1').toString('base64') } }
    },
  }

  /** Starts a gateway of a home that knows a coin, in front of nodes. */
  const identify = async (feeDenom: string, nodes: readonly Faults[]) => {
    const chain = new SyntheticChain({ family: 'ethermint', length: 8 })
    saveChainInfo(home, { ...toChainInfo(chain), feeDenom })
    const replays = await Promise.all(nodes.map((faults) => opened.serve({ chain, faults })))
    const logs: string[] = []
    const heard = createThreadLog(({ level, text }) => logs.push(`${level} ${text}`))
    const upstreams = new UpstreamClient({ nodes: replays.map(({ url }) => ({ node: url })) }, heard)
    opened.add(upstreams)
    const { chainInfo } = await identifyChain(home, {}, { upstreams, log: heard }, signal)
    return { denom: chainInfo.feeDenom, logs: logs.join() }
  }

  test('is not taken on the word of one node if another knows it as the home does', async () => {
    const { denom, logs } = await identify('aphoton', [liar, {}])
    expect(denom).toBe('aphoton')
    expect(logs).toContain('error NODES SAY DIFFERENT THINGS ABOUT THE CHAIN')
  })

  test('is taken where nodes agree: it was upgraded', async () => {
    const { denom, logs } = await identify('aold', [{}, {}])
    expect(denom).toBe('aphoton')
    expect(logs).toContain('nodes agree')
  })

  test('is taken from the only node, and told of loudly', async () => {
    const { denom, logs } = await identify('aphoton', [liar])
    expect(denom).toBe('bphoton')
    expect(logs).toContain('error THE CHAIN DIFFERS FROM WHAT WAS RECORDED')
  })

  test('is no matter where it is as it was', async () => {
    const { denom, logs } = await identify('aphoton', [{}, {}])
    expect(denom).toBe('aphoton')
    expect(logs).not.toContain('error')
  })
})

test('the chain is detected as soon as a node answers, and what differs is told', slow, async () => {
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

test(
  'what an upgrade changed is found when the nodes are back, and is not a change any more when it is taken back',
  slow,
  async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.4', length: 8 })
    const upgraded = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 8 })
    const query = chain.query.bind(chain)
    const replay = await opened.serve({ chain })
    const upstreams = new UpstreamClient({ nodes: [{ node: replay.url }], callTimeoutMs: 10_000 }, log)
    opened.add(upstreams)
    const { chainInfo: known } = await identifyChain(home, {}, { upstreams, log }, signal)
    const found: ChainInfo[] = []
    const watch = watchChain(
      { known, overrides: {}, isUnconfirmed: false, pauseMs: 50 },
      {
        upstreams,
        log,
        onDetected: (chainInfo) => {
          // What cannot be kept once does not end the watch.
          if (found.push(chainInfo) === 1) throw new Error('no space left on device')
        },
      },
    )
    opened.add(watch)
    /** Away until that is seen, which may take several times on a busy machine: the watch looks now and then. */
    const restart = async (changed: () => void): Promise<void> => {
      const before = found.length
      changed()
      const askStatus = () => upstreams.status(AbortSignal.timeout(1_000)).catch(() => {})
      while (found.length === before) {
        await replay.setFaults({ down: true })
        await eventually(async () => {
          await askStatus()
          return upstreams.isAway()
        })
        await sleep(200)
        await replay.setFaults({})
        for (let tries = 0; tries < 60 && found.length === before; tries++) {
          await askStatus()
          await sleep(50)
        }
      }
    }
    await restart(() => {})
    expect(watch.findChange()).toBeUndefined()
    await restart(() => {
      chain.query = upgraded.query.bind(upgraded)
    })
    expect(watch.findChange()).toContain('family')
    expect(watch.hasStartedStale()).toBe(false)
    expect(found.at(-1)?.family).toBe('cosmos-evm-0.5')
    await restart(() => {
      chain.query = query
    })
    expect(watch.findChange()).toBeUndefined()
  },
)

test('a chain that is not known any more is told of, until it is known again', async () => {
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 8 })
  const query = chain.query.bind(chain)
  const replay = await opened.serve({ chain })
  const upstreams = new UpstreamClient({ nodes: [{ node: replay.url }], callTimeoutMs: 10_000 }, log)
  opened.add(upstreams)
  const { chainInfo: known } = await identifyChain(home, {}, { upstreams, log }, signal)
  chain.query = () => {
    throw unknownPath
  }
  const watch = watchChain(
    { known, overrides: {}, isUnconfirmed: true, pauseMs: 50 },
    { upstreams, log, onDetected: () => {} },
  )
  opened.add(watch)
  await eventually(() => watch.findChange() !== undefined)
  expect(watch.findChange()).toContain('not known to this version any more')
  expect(watch.hasStartedStale()).toBe(true)
  chain.query = query
  await eventually(() => watch.findChange() === undefined)
  expect(watch.hasStartedStale()).toBe(false)
})

test('an upgrade is told of where the family was given: it is not the right one any more', async () => {
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.4', length: 8 })
  const upgraded = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 8 })
  const overrides = { family: 'cosmos-evm-0.4' }
  const replay = await opened.serve({ chain })
  const upstreams = new UpstreamClient({ nodes: [{ node: replay.url }], callTimeoutMs: 10_000 }, log)
  opened.add(upstreams)
  const { chainInfo: known } = await identifyChain(home, overrides, { upstreams, log }, signal)
  chain.query = upgraded.query.bind(upgraded)
  const findChange = async (before: ChainInfo) => {
    const later = await detectLater({ known: before, overrides, pauseMs: 50 }, { upstreams, log }, signal)
    return later ?? { chainInfo: before, differing: [] }
  }
  const { chainInfo, differing } = await findChange(known)
  expect(differing).toEqual(['gateway.family is cosmos-evm-0.4, and the nodes answer as cosmos-evm-0.5'])
  expect(chainInfo.family).toBe('cosmos-evm-0.4')
  // Who gives another family on purpose is not told of it again and again.
  expect((await findChange(chainInfo)).differing).toEqual([])
})

test('that one node alone answers as another family is no reason to doubt the one that was given', async () => {
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.4', length: 8 })
  const early = new SyntheticChain({ family: 'cosmos-evm-0.4', length: 8 })
  const upgraded = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 8 })
  const overrides = { family: 'cosmos-evm-0.4' }
  const replays = [await opened.serve({ chain: early }), await opened.serve({ chain })]
  const nodes = replays.map(({ url }) => ({ node: url }))
  const upstreams = new UpstreamClient({ nodes, callTimeoutMs: 10_000 }, log)
  opened.add(upstreams)
  const { chainInfo: known } = await identifyChain(home, overrides, { upstreams, log }, signal)
  early.query = upgraded.query.bind(upgraded)
  const later = await detectLater({ known, overrides, pauseMs: 50 }, { upstreams, log }, signal)
  expect(later?.differing).toEqual([])
})
