import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findProgram } from '../../src/engine/cometbft/process/engineBinary.ts'
import { describeNetwork } from '../network/describeNetwork.ts'
import { createHomes, HomeProcess, type Homes, headOf, reach, until } from '../network/homeProcess.ts'
import { sendIpc } from '../support/clients.ts'
import { freePort } from '../support/freePort.ts'
import { firing, scrapeOf } from '../support/prometheus/alerts.ts'
import { slow } from '../support/slow.ts'

/** What a node says of itself: its page, and the alerts that its metrics make fire. */
const stateOf = async (url: string) => {
  const ready = await fetch(`${url}/ready`)
  const page = (await ready.json()) as { ready: boolean; reasons?: readonly string[]; problem?: string }
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return { status: ready.status, ...page, alerts: firing([scrapeOf(metrics, Date.now() / 1000)]) }
}

type State = Awaited<ReturnType<typeof stateOf>>

const reaches = async (url: string, isSo: (state: State) => boolean, what: string): Promise<State> => {
  let state = await stateOf(url)
  await until(`${what}: ${JSON.stringify(state)}`, async () => {
    state = await stateOf(url)
    return isSo(state)
  })
  return state
}

const isReady = ({ status }: State): boolean => status === 200
const isFor =
  (reason: string) =>
  ({ status, reasons }: State): boolean =>
    status === 503 && (reasons ?? []).includes(reason)

const overIpc = async (home: string, method: string, ...params: readonly unknown[]) =>
  JSON.parse(
    await sendIpc(join(home, 'perihelion.ipc'), JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
  ) as { readonly result?: unknown; readonly error?: { readonly message: string } }

describeNetwork('a network of two validators', slow, () => {
  let homes: Homes
  let first: HomeProcess
  let second: HomeProcess
  const flags = ['--halted-after', '5s', '--log.level', 'info']
  const start = (home: string): HomeProcess => new HomeProcess(home, { args: flags })

  beforeAll(async () => {
    homes = createHomes(2, 200)
    const [one, other] = homes.homes as readonly [string, string]
    first = start(one)
    second = start(other)
    await first.ready()
    await second.ready()
    await reach(first, 3)
  })
  afterAll(() => homes?.remove())

  it('is ready, and its validators sign', async () => {
    const { alerts } = await reaches(first.http, isReady, 'it is ready')
    // A disk of a computer for tests may well be filling up.
    expect(alerts.filter((name) => name !== 'PerihelionDiskFilling')).toEqual([])
    await until('it signed', async () => {
      const text = await (await fetch(`${first.http}/metrics`)).text()
      return (
        /^perihelion_validator_signed_blocks_total [1-9]/m.test(text) &&
        /^perihelion_validator_missed_blocks_total \d/m.test(text) &&
        /^perihelion_sign_state_height [1-9]/m.test(text) &&
        /^perihelion_peers 1$/m.test(text) &&
        /^perihelion_database_bytes\{part="chain"\} [1-9]/m.test(text)
      )
    })
  })

  it('tells that a node without peers is behind, until it gets one over IPC', async () => {
    const home = join(homes.folder, 'late')
    const node = new HomeProcess(home, {
      args: [
        ...['--engine', 'cometbft', '--genesis', homes.genesis, '--json-rpc.ws-address', ''],
        ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
        ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
        // The namespaces of the network are none of the operator's.
        ...['--json-rpc.address', '127.0.0.1:0', '--json-rpc.api', 'eth', ...flags],
      ],
    })
    await node.ready()
    const behind = await reaches(node.http, isFor('behind'), 'it is behind')
    expect(behind.alerts).toEqual(
      expect.arrayContaining(['PerihelionNotReady', 'PerihelionBehind', 'PerihelionNoPeers']),
    )
    const { node_info: info } = (
      (await (await fetch(`${first.rpc}/status`)).json()) as {
        result: { node_info: { id: string; listen_addr: string } }
      }
    ).result
    const peer = `${info.id}@${info.listen_addr.replace('tcp://', '')}`
    expect(await overIpc(home, 'admin_addPeer', peer)).toMatchObject({ result: true })
    const caughtUp = await reaches(node.http, isReady, 'it caught up')
    expect(caughtUp.alerts).not.toContain('PerihelionBehind')
    await until('it told of its peer', () => node.errors.includes('a peer joined'))
    const own = (
      (await (await fetch(`${node.rpc}/status`)).json()) as { result: { node_info: { id: string } } }
    ).result.node_info.id
    const told = (what: string): boolean =>
      first.errors.split('\n').some((line) => line.includes(what) && line.includes(own))
    await until('the other told of it', () => told('a peer joined'))
    expect(await overIpc(home, 'admin_removePeer', info.id)).toMatchObject({ result: true })
    expect(await overIpc(home, 'admin_removePeer', info.id)).toMatchObject({ result: false })
    await node.stop()
    await until('the other saw it leave', () => told('a peer left'))
  })

  it('tells that the chain stands while half of the power is away', async () => {
    await second.kill()
    const halted = await reaches(first.http, isFor('halted'), 'it stands')
    expect(halted.problem).toMatch(/the chain stands: block \d+ is the newest for \d+ seconds, more than 5/)
    expect(halted.alerts).toEqual(
      expect.arrayContaining(['PerihelionNotReady', 'PerihelionHalted', 'PerihelionNoPeers']),
    )
    // A restart does not hide it.
    await first.stop()
    expect(first.errors).not.toMatch(/"level":"error"/)
    first = start(first.home)
    await first.ready()
    expect(isFor('halted')(await stateOf(first.http))).toBe(true)
    second = start(second.home)
    await second.ready()
    await reaches(first.http, isReady, 'it goes on')
  })

  it('tells that a clock is a minute off, and serves', async () => {
    await second.stop()
    // From when a file is there on: at its start a node takes votes of its own engine from before it for another's.
    const shift = join(homes.folder, 'shift.mjs')
    const begin = join(homes.folder, 'shift')
    writeFileSync(
      shift,
      `import { existsSync } from 'node:fs'
const now = Date.now
let ahead = 0
Date.now = () => now() + ahead
setInterval(() => { if (existsSync(${JSON.stringify(begin)})) ahead = 60_000 }, 100).unref()
`,
    )
    second = new HomeProcess(second.home, { args: flags, nodeArgs: ['--import', shift] })
    await second.ready()
    await reaches(second.http, isReady, 'it takes part')
    writeFileSync(begin, '')
    const state = await reaches(
      second.http,
      (found) => isReady(found) && found.alerts.includes('PerihelionClockOff'),
      'its clock is off',
    )
    expect(state.alerts).not.toContain('PerihelionHalted')
    expect((await stateOf(first.http)).alerts).not.toContain('PerihelionClockOff')
  })
})

describeNetwork('a node whose engine somebody else runs', slow, () => {
  let homes: Homes
  let node: HomeProcess
  let engine: ChildProcess
  let startEngine: () => void

  beforeAll(async () => {
    const program = await findProgram({ path: process.env.PERIHELION_COMETBFT ?? '', notify: () => {} })
    homes = createHomes(1, 200)
    const [home] = homes.homes as readonly [string]
    const made = await new HomeProcess(home).ready()
    const { rpc } = made
    await reach(made, 2)
    await made.stop()
    const abci = join(homes.folder, 'abci.sock')
    mkdirSync(join(homes.folder, 'metrics'), { recursive: true })
    node = new HomeProcess(home, {
      args: ['--abci-address', `unix://${abci}`, '--engine-rpc', rpc, '--metrics-address', '127.0.0.1:0'],
    })
    await until('it listens', () => existsSync(abci))
    startEngine = () => {
      engine = spawn(program, ['start', '--home', join(home, 'engine'), '--proxy_app', `unix://${abci}`], {
        stdio: 'ignore',
      })
    }
    // Metrics are served before the engine is there, and the node says that it is starting.
    await until('its metrics are served', () => /metrics and health are served/.test(node.errors))
    const url = /"url":"(http:[^"]+)","msg":"metrics and health/.exec(node.errors)?.[1] ?? ''
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(await stateOf(url)).toMatchObject({ status: 503, reasons: ['starting'] })
    startEngine()
    await node.ready()
  })
  afterAll(async () => {
    engine?.kill('SIGKILL')
    await homes?.remove()
  })

  it('tells within seconds that it is gone, and that it is back', async () => {
    const url = /"url":"(http:[^"]+)","msg":"metrics and health/.exec(node.errors)?.[1] ?? ''
    await reaches(url, isReady, 'it is ready')
    // They are on that port alone.
    expect((await fetch(`${node.http}/metrics`)).status).toBe(405)
    expect((await fetch(`${node.http}/ready`)).status).toBe(200)
    const head = await headOf(node)
    engine.kill('SIGKILL')
    await once(engine, 'exit')
    const gone = await reaches(url, isFor('engine'), 'its engine is gone')
    expect(gone.problem).toContain('CometBFT does not answer')
    expect(gone.alerts).toEqual(expect.arrayContaining(['PerihelionNotReady', 'PerihelionEngineGone']))
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(await headOf(node)).toBeGreaterThanOrEqual(head)
    startEngine()
    await reaches(url, isReady, 'it is back')
  })
})
