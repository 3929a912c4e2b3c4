import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNode, type ListeningNode, method, Quantity } from 'perihelion'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSecret } from '../../src/rpc/access/secret.ts'
import { createToken } from '../../src/rpc/access/token.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram, runToEnd } from '../support/program.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { Subscriber } from '../support/rpc/subscriber.ts'

describe('the rules of access hold in each process', () => {
  const home = mkdtempSync(join(tmpdir(), 'serving-access-'))
  const origin = 'https://app.example'
  let program: Program
  let http = ''
  beforeAll(async () => {
    const flags = [
      '--json-rpc.workers=2',
      '--json-rpc.trusted-proxies=127.0.0.1/32',
      '--json-rpc.filter-cap=2',
      '--json',
    ]
    program = runProgram(['start', ...isolatedFlags(home), ...flags])
    http = (await program.ready()).http ?? ''
  })
  afterAll(async () => {
    program.child.kill('SIGTERM')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const post = async (name: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: [] })
    const reply = await fetch(http, {
      method: 'POST',
      // A connection of its own each time, to whichever process.
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body,
    })
    return { status: reply.status, text: await reply.text() }
  }

  test('the main process decides by the address of the client', async () => {
    // From another machine nobody may change a dev chain.
    for (let times = 0; times < 4; times++) {
      const token = createToken(loadSecret(home), Date.now())
      const authorized = await post('evm_mine', { authorization: `Bearer ${token}` })
      expect(JSON.parse(authorized.text)).toHaveProperty('result')
      const unnamed = await post('evm_mine')
      expect(JSON.parse(unnamed.text)).toMatchObject({ error: { code: 4100 } })
      for (const address of ['203.0.113.7', '127.0.0.2', '::1', '[::1]:99']) {
        const remote = await post('evm_mine', { 'x-forwarded-for': address })
        expect(JSON.parse(remote.text)).toMatchObject({ error: { code: 4100 } })
      }
    }
  })

  test('a connection has no more filters than one may have', async () => {
    const { ws = '' } = await program.ready()
    for (let times = 0; times < 2; times++) {
      const client = await Subscriber.open(ws)
      for (let added = 0; added < 2; added++)
        expect(await client.request('eth_newBlockFilter')).toHaveProperty('result')
      expect(await client.request('eth_newBlockFilter')).toMatchObject({
        error: { message: expect.stringContaining('at most 2 a client') },
      })
      client.close()
    }
  })

  test('settings that are read again reach all of them', async () => {
    expect((await post('eth_chainId', { origin })).status).toBe(403)
    const path = join(home, 'config', 'app.toml')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^cors = .*$/m, `cors = ["${origin}"]`))
    program.child.kill('SIGHUP')
    await eventually(async () => program.stderr().includes('the settings were'))
    for (let times = 0; times < 8; times++) expect((await post('eth_chainId', { origin })).status).toBe(200)
  })

  test('transports are stopped and started in all of them', async () => {
    const operator = await Subscriber.open(join(home, 'perihelion.ipc'))
    const { ws = '' } = await program.ready()
    const canOpen = async (): Promise<boolean> =>
      Subscriber.open(ws).then(
        (subscriber) => {
          subscriber.close()
          return true
        },
        () => false,
      )
    expect(await canOpen()).toBe(true)
    expect((await operator.request('admin_stopWS')).result).toBe(true)
    await eventually(async () => !(await canOpen()))
    expect((await operator.request('admin_stopWS')).result).toBe(false)
    const { hostname, port } = new URL(ws)
    expect((await operator.request('admin_startWS', hostname, Number(port))).result).toBe(true)
    expect(await canOpen()).toBe(true)
    operator.close()
  })
})

test('an address that is taken is told as ever', async () => {
  const home = mkdtempSync(join(tmpdir(), 'serving-taken-'))
  const other = await createNode()
  try {
    const { host } = new URL(other.url)
    const flags = [`--json-rpc.address=${host}`, '--json-rpc.ws-address=', '--json-rpc.workers=1']
    const { code, stderr } = await runToEnd(['start', '--home', home, ...flags])
    expect(code).not.toBe(0)
    expect(stderr).toContain(`the address ${host} is taken by another process`)
  } finally {
    await other.close()
    rmSync(home, { recursive: true, force: true })
  }
})

test('a gateway refuses the setting', async () => {
  const { code, stderr } = await runToEnd(['gateway', '--node=http://127.0.0.1:1', '--json-rpc.workers=2'])
  expect(code).toBe(78)
  expect(stderr).toContain('json-rpc.workers: got 2')
})

describe('a node of the library', () => {
  const double = method({
    name: 'example_double',
    summary: 'Doubles the height.',
    access: 'public',
    params: [],
    result: { name: 'twice the height', type: Quantity },
    examples: [],
    handler: (_, { chain }) => BigInt(chain.head().number) * 2n,
  })
  let node: ListeningNode
  beforeAll(async () => {
    node = await createNode({ methods: [double], settings: { jsonRpc: { workers: 1 } } })
  })
  afterAll(() => node.close())

  test('has processes if it is told so, and its own methods are answered through them', async () => {
    const client = createRpcClient(node.url)
    await client.call('evm_mine')
    expect(await client.call('example_double')).toBe('0x2')
    expect(await client.call('eth_blockNumber')).toBe('0x1')
    expect(await node.provider.request({ method: 'eth_blockNumber' })).toBe('0x1')
  })
})
