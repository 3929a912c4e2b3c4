import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

/** `perihelion gateway` as a program of its own, in front of a chain that is made up. */
describe('the command', () => {
  let home: string
  const replays: Replay[] = []
  const programs: Program[] = []

  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.child.kill('SIGTERM')
      await program.ended()
    }
    for (const replay of replays.splice(0)) await replay.close()
    rmSync(home, { recursive: true, force: true })
  })

  const upstream = async (seed = 1, nativeChainId?: string): Promise<Replay> => {
    const options = { family: 'cosmos-evm-0.7', seed, length: 12 } as const
    const chain = new SyntheticChain({
      ...options,
      ...(nativeChainId === undefined ? {} : { nativeChainId }),
    })
    const replay = await startReplay({ chain })
    replays.push(replay)
    return replay
  }
  const start = (...args: readonly string[]): Program => {
    const program = runProgram(['gateway', ...isolatedFlags(home), ...args])
    programs.push(program)
    return program
  }
  const ask = async (http: string, method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const answer = JSON.parse(await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
    return answer.result ?? answer.error
  }

  test('says when it serves, is ready when it is in step, follows, and ends in order', slow, async () => {
    const replay = await upstream()
    const program = start('--node', replay.url, '--grpc', replay.grpcAddress)
    const { http = '', chain } = await program.ready()
    expect(chain).toBe('262144')
    await eventually(async () => (await fetch(`${http}/ready`)).status === 200)
    expect(await ask(http, 'eth_blockNumber')).toBe('0xc')
    replay.grow(3)
    await eventually(async () => (await ask(http, 'eth_blockNumber')) === '0xf')
    const metrics = await (await fetch(`${http}/metrics`)).text()
    expect(metrics).toContain('perihelion_gateway_height{of="store"} 15')
    expect(metrics).toContain(`perihelion_gateway_upstream_ready{node="${replay.url}"} 1`)
    // Development is for chains of one's own.
    expect(await ask(http, 'evm_mine')).toMatchObject({ code: -32601 })
    expect(await ask(http, 'eth_accounts')).toEqual([])
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
  })

  test('keys of URLs are in no log, metric, answer or error', slow, async () => {
    const replay = await upstream()
    const { host } = new URL(replay.url)
    const secrets = /us3r|pa55word|t0ken/
    const shown = `http://${host}/…`
    const flags = (['a', 'b'] as const).map((name) => `--node=http://us3r-${name}:pa55word@${host}`)
    const program = start(...flags, '--node=http://us3r:pa55word@127.0.0.1:1/?key=t0ken')
    const { http = '' } = await program.ready()
    await eventually(async () => (await fetch(`${http}/ready`)).status === 200)
    const metrics = await (await fetch(`${http}/metrics`)).text()
    expect(metrics).toContain(`perihelion_gateway_upstream_ready{node="${shown}"} 1`)
    expect(metrics).toContain(`perihelion_gateway_upstream_ready{node="${shown} (2)"} 1`)
    expect(metrics).toContain('perihelion_gateway_upstream_ready{node="http://127.0.0.1:1/…"} 0')
    expect(metrics).not.toMatch(secrets)
    for (const method of ['perihelion_status', 'admin_nodeInfo', 'admin_peers', 'net_version'])
      expect(JSON.stringify(await ask(http, method))).not.toMatch(secrets)
    await replay.close()
    replays.splice(0)
    const answer = await ask(http, 'eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
    expect(JSON.stringify(answer)).not.toMatch(secrets)
    await eventually(async () => program.stderr().includes('does not answer'))
    program.child.kill('SIGTERM')
    await program.ended()
    expect(program.stderr()).not.toMatch(secrets)
    expect(program.stderr()).toContain(shown)
  })

  test('goes on after a restart where it was, also while no block comes', slow, async () => {
    const replay = await upstream()
    const first = start('--node', replay.url)
    const { http = '' } = await first.ready()
    await eventually(async () => (await ask(http, 'eth_blockNumber')) === '0xc')
    const block = await ask(http, 'eth_getBlockByNumber', ['0x5', true])
    first.child.kill('SIGTERM')
    expect(await first.ended()).toBe(0)
    replay.grow(2)
    const again = await start('--node', replay.url).ready()
    await eventually(async () => (await ask(again.http ?? '', 'eth_blockNumber')) === '0xe')
    expect(await ask(again.http ?? '', 'eth_getBlockByNumber', ['0x5', true])).toEqual(block)
  })

  test('begins where it is told to', slow, async () => {
    const replay = await upstream()
    const { http = '' } = await start('--node', replay.url, '--from', '7').ready()
    await eventually(async () => (await ask(http, 'eth_blockNumber')) === '0xc')
    expect(await ask(http, 'eth_getBlockByNumber', ['earliest', false])).toMatchObject({ number: '0x7' })
    expect(await ask(http, 'eth_getBlockByNumber', ['0x6', false])).toMatchObject({ code: -32002 })
  })

  const failure = async (...args: readonly string[]): Promise<readonly [unknown, string]> => {
    const program = start(...args)
    const code = await program.ended()
    const lines = program.stderr().trim().split('\n')
    return [code, lines.at(-1) ?? '']
  }

  test('names what is wrong in one line', slow, async () => {
    expect(await failure()).toEqual([78, expect.stringContaining('name a node of the chain with --node')])
    const [code, line] = await failure('--node', 'http://127.0.0.1:1')
    expect(code).toBe(69)
    expect(line).toMatch(/^perihelion: no node can be used: http:\/\/127\.0\.0\.1:1/)
    const replay = await upstream()
    const wrong = await failure('--node', replay.url, '--gateway.native-chain-id', 'other-1')
    expect(wrong).toEqual([69, expect.stringMatching(/other-1/)])
  })

  test('does not mix two chains in one home', slow, async () => {
    const program = start('--node', (await upstream(1)).url)
    await program.ready()
    program.child.kill('SIGTERM')
    await program.ended()
    const [code, line] = await failure('--node', (await upstream(2, 'other-2')).url)
    expect(code).toBe(78)
    expect(line).toMatch(
      /^perihelion: .* has blocks of chain \S+, and the nodes are of chain other-2: name nodes/,
    )
  })
})
