import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findProgram } from '../../src/engine/cometbft/process/engineBinary.ts'
import { type AbciAnswer, AbciProxy } from './abciProxy.ts'
import { describeNetwork } from './describeNetwork.ts'
import { createHomes, HomeProcess, type Homes, headOf, reach, until } from './homeProcess.ts'

describeNetwork('a node of a CometBFT that the operator runs', () => {
  let homes: Homes
  let node: HomeProcess
  let engine: ChildProcess
  let proxy: AbciProxy
  let program: string
  let isBroken = false

  /** Leaves out the result of a transaction, at which the consensus of CometBFT panics. */
  const rewrite = (answer: AbciAnswer): AbciAnswer =>
    isBroken && answer.case === 'finalizeBlock'
      ? { ...answer, value: { ...answer.value, txResults: answer.value.txResults.slice(1) } }
      : answer

  const startEngine = (): void => {
    const socket = join(homes.folder, 'proxy.sock')
    const folder = join(homes.homes[0] as string, 'engine')
    engine = spawn(program, ['start', '--home', folder, '--proxy_app', `unix://${socket}`], {
      stdio: 'ignore',
    })
  }

  const stopEngine = async (): Promise<void> => {
    if (engine === undefined || engine.exitCode !== null || engine.signalCode !== null) return
    engine.kill('SIGKILL')
    await once(engine, 'exit')
  }

  const fetchPage = async (path: string): Promise<{ status: number; text: string }> => {
    const reply = await fetch(new URL(path, node.http))
    return { status: reply.status, text: await reply.text() }
  }

  beforeAll(async () => {
    program = await findProgram({ path: process.env.PERIHELION_COMETBFT ?? '', notify: () => {} })
    homes = createHomes(1, 200)
    const [home] = homes.homes as readonly [string]
    // Once as it comes, which writes the genesis of the engine.
    const first = await new HomeProcess(home).ready()
    const { rpc } = first
    await reach(first, 2)
    await first.stop()
    const abci = join(homes.folder, 'abci.sock')
    node = new HomeProcess(home, { args: ['--abci-address', `unix://${abci}`, '--engine-rpc', rpc] })
    await until('it listens', () => existsSync(abci))
    proxy = new AbciProxy(join(homes.folder, 'proxy.sock'), abci, rewrite)
    startEngine()
    await node.ready()
  }, 240_000)
  afterAll(async () => {
    await stopEngine()
    proxy?.close()
    await homes?.remove()
  })

  it('tells that its consensus failed, and that it is back', { timeout: 400_000 }, async () => {
    await reach(node, (await headOf(node)) + 2)
    expect((await fetchPage('/ready')).status).toBe(200)
    isBroken = true
    await until('it is told', async () => (await fetchPage('/ready')).status === 503)
    expect((await fetchPage('/ready')).text).toMatch(/the consensus of CometBFT failed: it decided block \d+/)
    expect((await fetchPage('/metrics')).text).toContain('perihelion_engine_failed 1')
    expect(node.errors.match(/no blocks are decided/g)).toHaveLength(1)
    // It lives and answers: nothing else tells.
    expect([engine.exitCode, engine.signalCode]).toEqual([null, null])
    await headOf(node)
    await stopEngine()
    isBroken = false
    startEngine()
    await until('it is back', async () => (await fetchPage('/ready')).status === 200)
    expect((await fetchPage('/metrics')).text).toContain('perihelion_engine_failed 0')
  })
})
