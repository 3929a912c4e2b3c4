import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runProgram, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

interface Finding {
  readonly check: string
  readonly level: string
  readonly text: string
  readonly remedy?: string
}

/** What the command finds, with settings as flags. */
const examine = async (...flags: readonly string[]) => {
  const program = runProgram(['doctor', '--json', ...flags])
  const code = await program.ended()
  const findings = JSON.parse(program.stdout()) as readonly Finding[]
  const about = (check: string): readonly Finding[] => findings.filter((finding) => finding.check === check)
  return {
    code,
    about,
    problems: findings.filter(({ level }) => level === 'problem'),
    text: program.stdout(),
  }
}

const startServer = async (body: string): Promise<{ readonly port: number; close(): void }> => {
  const server = createServer((_, reply) => reply.end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

describe('perihelion doctor', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test('finds nothing wrong with a machine that can start, before the first start and beside a node', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const flags = [...isolatedFlags(home), '--min-free-space=1MB']
    const before = await examine(...flags)
    expect(before.problems).toEqual([])
    expect(before.code).toBe(0)
    expect(existsSync(join(home, 'data'))).toBe(false)
    const node = runProgram(['start', ...flags])
    try {
      const { http = '', ws = '' } = await node.ready()
      const addresses = [
        `--json-rpc.address=${new URL(http).host}`,
        `--json-rpc.ws-address=${new URL(ws).host}`,
      ]
      const beside = await examine(`--home=${home}`, '--min-free-space=1MB', ...addresses)
      expect(beside.problems).toEqual([])
      expect(beside.code).toBe(0)
      expect(beside.about('lock')[0]?.text).toBe(`process ${node.child.pid} runs on this home`)
    } finally {
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('warns of what a start exposes, and the start does too', { ...slow, timeout: 60_000 }, async () => {
    const flags = [...isolatedFlags(home), '--json-rpc.cors=*', '--min-free-space=1MB']
    const said = 'json-rpc.cors is *: every web page that a browser on this machine shows may sign with'
    const { about, code } = await examine(...flags)
    expect(about('exposed')).toMatchObject([{ level: 'warning', text: expect.stringContaining(said) }])
    expect(code).toBe(0)
    const exposed = await runToEnd(['start', ...flags])
    expect(exposed).toMatchObject({ code: 0, stderr: expect.stringContaining(said) })
    // Without it nothing is said.
    const plain = await runToEnd(['start', ...isolatedFlags(home)])
    expect(plain.stderr).not.toContain('is *')
    expect((await examine(...isolatedFlags(home))).about('exposed')).toEqual([])
  })

  test('names who holds a port, and how to go on', async () => {
    const { port, close } = await startServer('')
    try {
      const { about, code } = await examine(
        `--home=${home}`,
        `--json-rpc.address=127.0.0.1:${port}`,
        '--json-rpc.ws-address=',
      )
      const [finding] = about('port')
      expect(finding?.level).toBe('problem')
      expect(finding?.text).toContain(`127.0.0.1:${port} is held by`)
      if (process.platform === 'linux') expect(finding?.text).toContain(`(process ${process.pid})`)
      expect(finding?.remedy).toContain('--json-rpc.address')
      expect(code).toBe(1)
    } finally {
      close()
    }
  })

  test('does not take a stranger on a port of the settings for the node of the home', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const node = runProgram(['start', ...isolatedFlags(home)])
    const { port, close } = await startServer('')
    try {
      const { ws = '' } = await node.ready()
      const { about } = await examine(
        `--home=${home}`,
        `--json-rpc.address=127.0.0.1:${port}`,
        `--json-rpc.ws-address=${new URL(ws).host}`,
      )
      const [stranger, own] = about('port')
      expect(own).toMatchObject({ level: 'ok', text: expect.stringContaining('the node of this home') })
      expect(stranger).toMatchObject({
        level: 'problem',
        text: expect.stringContaining('which is not the node that runs on this home'),
      })
    } finally {
      close()
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('tells of secrets that others can read and of data that does not open', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const flags = isolatedFlags(home)
    const node = runProgram(['start', ...flags])
    await node.ready()
    node.child.kill('SIGTERM')
    await node.ended()
    chmodSync(join(home, 'jwt.hex'), 0o644)
    const open = await examine(...flags)
    expect(open.about('token')).toEqual([
      {
        check: 'token',
        level: 'problem',
        text: `${join(home, 'jwt.hex')} can be read by others: run chmod 600 on it, or remove it`,
        remedy: 'fix this first: a start would end with exit code 74',
      },
    ])
    expect(open.about('data')[0]?.text).toContain('newest block 0')
    chmodSync(join(home, 'jwt.hex'), 0o600)
    writeFileSync(join(home, 'data', 'chain.mdb'), Buffer.alloc(65_536, 7))
    const damaged = await examine(...flags)
    expect(damaged.about('data')[0]).toMatchObject({ level: 'problem' })
    expect(damaged.about('data')[0]?.remedy).toContain('perihelion db check')
  })

  test('tells each cause once, however many checks meet it', { ...slow, timeout: 60_000 }, async () => {
    const flags = [...isolatedFlags(home), '--engine=cometbft', '--cometbft=/bin/true']
    const engine = join(home, 'engine', 'config')
    mkdirSync(engine, { recursive: true })
    const about = async (text: string): Promise<readonly string[]> =>
      (await examine(...flags)).problems
        .filter((found) => found.text.includes(text))
        .map(({ check }) => check)
    writeFileSync(join(engine, 'config.toml'), 'laddr =')
    expect(await about('config.toml')).toEqual(['engine'])
    rmSync(join(engine, 'config.toml'))
    writeFileSync(join(engine, 'priv_validator_key.json'), '')
    expect(await about('priv_validator_key.json')).toEqual(['validator key'])
    rmSync(home, { recursive: true })
    writeFileSync(home, '')
    expect(await about(home)).toEqual(['home'])
  })

  test('has the rules of settings that a start has', async () => {
    const { about, code } = await examine(
      ...isolatedFlags(home),
      '--json-rpc.rate-limit=5',
      '--json-rpc.rate-limit-burst=0',
    )
    expect(about('settings')[0]?.text).toContain('json-rpc.rate-limit-burst: got 0')
    expect(code).toBe(1)
  })

  test('asks the upstreams of a gateway, and shows no key of them', slow, async () => {
    const status = {
      node_info: { network: 'evmos_9001-2', version: '0.38.26' },
      sync_info: { latest_block_height: '7' },
    }
    const { port, close } = await startServer(JSON.stringify({ result: status }))
    try {
      const url = `http://127.0.0.1:${port}/secret-key-of-mine`
      const flags = [...isolatedFlags(home), '--node', url]
      const one = await examine(...flags)
      expect(one.about('upstream')).toEqual([
        {
          check: 'upstream',
          level: 'ok',
          text: `http://127.0.0.1:${port}/…: CometBFT 0.38.26 of evmos_9001-2 at height 7`,
        },
      ])
      // A start asks over a WebSocket, which is not there.
      expect(one.about('chain')).toMatchObject([
        { level: 'problem', text: expect.stringContaining("gateway.node names CometBFT's RPC") },
      ])
      expect(one.code).toBe(1)
      // Port 9 is served by nobody.
      const two = await examine(...flags, '--node', 'http://127.0.0.1:9/another-secret')
      expect(two.about('upstream').map(({ level }) => level)).toEqual(['ok', 'warning'])
      expect(two.text).not.toContain('secret')
    } finally {
      close()
    }
    const none = await examine(...isolatedFlags(home), '--node', 'http://127.0.0.1:9')
    expect(none.about('upstream')[0]).toMatchObject({ level: 'problem' })
    expect(none.code).toBe(1)
  })

  test('asks for the engine, which is not installed for it', async () => {
    const { about, code } = await examine(
      ...isolatedFlags(home),
      '--engine=cometbft',
      '--cometbft=/no/such/program',
    )
    expect(about('engine')[0]).toMatchObject({ level: 'problem' })
    expect(about('engine')[0]?.text).toContain('/no/such/program')
    expect(code).toBe(1)
  })

  test('looks at the addresses of the engine that are given, else at those that an existing home has', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const taken = await startServer('')
    try {
      const config = join(home, 'engine', 'config', 'config.toml')
      mkdirSync(join(home, 'engine', 'config'), { recursive: true })
      const flags = [...isolatedFlags(home), '--engine=cometbft']
      const addresses = [
        `--engine-rpc=http://127.0.0.1:${taken.port}`,
        `--engine-p2p=127.0.0.1:${taken.port}`,
      ]
      const ports = async (...given: readonly string[]) =>
        (await examine(...flags, ...given)).about('port').slice(1)
      expect((await ports(...addresses)).map(({ level }) => level)).toEqual(['problem'])
      writeFileSync(config, '[rpc]\nladdr = "tcp://127.0.0.3:0"\n[p2p]\nladdr = "tcp://127.0.0.2:0"\n')
      expect((await ports()).map(({ level }) => level)).toEqual(['ok', 'ok'])
      expect((await ports(...addresses)).map(({ level }) => level)).toEqual(['problem'])
      writeFileSync(
        config,
        `[rpc]\nladdr = "tcp://127.0.0.3:0"\n[p2p]\nladdr = "tcp://127.0.0.1:${taken.port}"\n`,
      )
      const [, p2p] = await ports()
      expect(p2p).toMatchObject({
        level: 'problem',
        text: expect.stringContaining(`p2p.laddr 127.0.0.1:${taken.port} is held by`),
        remedy: `stop it, or choose another p2p.laddr in ${config}`,
      })
      writeFileSync(config, 'laddr =')
      const { about } = await examine(...flags)
      expect(about('engine')).toContainEqual(
        expect.objectContaining({
          level: 'problem',
          text: expect.stringContaining(`${config} cannot be read`),
        }),
      )
    } finally {
      taken.close()
    }
  })
})
