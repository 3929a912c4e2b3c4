import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow, testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const run = async (...flags: readonly string[]) => {
  const program = runProgram(['status', ...flags])
  const code = await program.ended()
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

describe('perihelion status', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test('says in one line that no node runs', async () => {
    const { code, stderr, stdout } = await run('--home', home)
    expect(stderr).toBe(
      `perihelion: no node runs on ${home}: start it with \`perihelion start --home ${home}\`, or give --url\n`,
    )
    expect(stdout).toBe('')
    expect(code).toBe(69)
    expect((await run('--url', 'http://127.0.0.1:9')).stderr).toBe(
      'perihelion: no node answers at http://127.0.0.1:9\n',
    )
    expect((await run('--url', 'http://127.0.0.1:9', '--home', home)).code).toBe(64)
  })

  test.skipIf(process.platform === 'win32')('does not wait for a node that is suspended', slow, async () => {
    const node = runProgram(['start', ...isolatedFlags(home)])
    await node.ready()
    node.child.kill('SIGSTOP')
    try {
      const { code, stderr } = await run('--home', home)
      expect(stderr).toMatch(/^perihelion: [^\n]+is suspended \(Ctrl-Z\)[^\n]+no response within 10 s\)\n$/)
      expect(code).toBe(69)
    } finally {
      node.child.kill('SIGCONT')
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('finds a chain that is gone at the end where it listens', slow, async () => {
    const node = runProgram(['start', '--ephemeral', ...isolatedFlags('').slice(2)], { HOME: home })
    try {
      const { http = '' } = await node.ready()
      const { host } = new URL(http)
      const program = runProgram(['status'], { HOME: home, PERIHELION_JSON_RPC_ADDRESS: host })
      expect(await program.ended()).toBe(0)
      expect(program.stdout()).toContain(http)
    } finally {
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('takes no other client for a node of its own', slow, async () => {
    const other = createServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end()
      const calls = (await json(request)) as { readonly id: number; readonly method: string }[]
      const answers: Record<string, unknown> = { web3_clientVersion: 'Geth/v1.17.6', eth_chainId: '0x1' }
      return response.end(
        JSON.stringify(
          calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: answers[method] ?? null })),
        ),
      )
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    try {
      const program = runProgram(['status'], { HOME: home, PERIHELION_JSON_RPC_ADDRESS: host })
      expect(await program.ended()).toBe(69)
      expect(program.stdout()).toBe('')
      expect(program.stderr()).toMatch(/^perihelion: no node runs on [^\n]+\n$/)
      // Who names it gets it.
      expect((await run('--url', `http://${host}`)).stdout).toContain('chain id 1')
    } finally {
      other.close()
    }
  })

  test.each([
    ['wss://127.0.0.1:9/v3/KEY', 'wss://127.0.0.1:9/…'],
    ['http://[bad/KEY', 'the URL'],
    ['http:/127.0.0.1:9/KEY', 'http://127.0.0.1:9/…'],
    ['http://127.0.0.1:9/v3/KEY', 'http://127.0.0.1:9/…'],
  ])('shows no key of %s', async (url, shown) => {
    const { code, stderr } = await run('--url', url)
    expect(stderr).toMatch(/^perihelion: [^\n]+\n$/)
    expect(stderr).toContain(`no node answers at ${shown}`)
    expect(stderr).not.toContain('KEY')
    expect(code).toBe(69)
  })

  // The second serves what a node of a network serves by default, in which perihelion_status is not.
  testSome(1, [[[]], [['--json-rpc.api=eth,net,web3', '--dev=false']]])(
    'shows a node over its socket and its address, started with %j',
    async (flags) => {
      const node = runProgram(['start', ...isolatedFlags(home), ...flags])
      try {
        const { http = '' } = await node.ready()
        const local = JSON.parse((await run('--home', home, '--json')).stdout)
        expect(local).toMatchObject({
          home,
          pid: node.child.pid,
          chainId: 31_337,
          height: 0,
          peers: 0,
          lag: 0,
        })
        expect(local.dataSize).toBeGreaterThan(0)
        expect(local.diskFree).toBeGreaterThan(0)
        if (process.platform === 'linux') expect(local.memory).toBeGreaterThan(0)
        const remote = JSON.parse((await run('--url', http, '--json')).stdout)
        expect(remote).toMatchObject({ target: http, chainId: 31_337, height: 0 })
        expect(remote.memory).toBeGreaterThan(0)
        const { stdout, code } = await run('--home', home)
        expect(stdout).toMatch(/^height +0, .* old, in step$/m)
        expect(stdout).toMatch(/^disk +.* of data, .* free$/m)
        expect(stdout).not.toContain('\x1b')
        expect(code).toBe(0)
      } finally {
        node.child.kill('SIGTERM')
        await node.ended()
      }
    },
  )
})
