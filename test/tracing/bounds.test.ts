import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { assemble } from '../support/evm/assemble.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'
import { WsClient } from '../support/rpc/wsClient.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Loops until its gas is gone. */
const endless = assemble('JUMPDEST 1 2 3 POP POP POP 0 JUMP')
/** Calls the identity until its gas is gone. */
const callsEndlessly = assemble('JUMPDEST 0 0 0 0 4 GAS STATICCALL POP 0 JUMP')
/** Calls an account without code until its gas is gone; such calls are listed, those of precompiles are not. */
const transfersEndlessly = assemble('JUMPDEST 0 0 0 0 0x9999 GAS STATICCALL POP 0 JUMP')
const at = (code: string) => ({ [`0x${'ab'.repeat(20)}`]: { code } })
const to = `0x${'ab'.repeat(20)}`

describe('a trace that asks for too much', () => {
  let home: string
  let node: Program
  let client: RpcClient
  let ws = ''

  beforeAll(async () => {
    home = temporaryHome()
    const limits = ['--json-rpc.trace-max-size=40000000', '--json-rpc.trace-memory=128000000']
    // Traces of Parity's format name no time of their own.
    limits.push('--json-rpc.trace-timeout=120s', '--json-rpc.http-timeout=120s')
    node = runProgram(['start', ...isolatedFlags(home), ...limits])
    const ready = await node.ready()
    client = createRpcClient(ready.http ?? '')
    ws = ready.ws ?? ''
  })

  afterAll(async () => {
    node.child.kill('SIGTERM')
    await node.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const spooled = (): readonly string[] => {
    try {
      return readdirSync(join(home, 'tmp', 'traces'))
    } catch {
      return []
    }
  }

  const traceCall = (code: string, gas: number, config: object) =>
    client.send('debug_traceCall', [
      { to, gas: `0x${gas.toString(16)}` },
      'latest',
      { ...config, stateOverrides: at(code) },
    ])

  test('of text is ended with an error that names the setting, and leaves nothing behind', async () => {
    const { error } = await traceCall(endless, 30_000_000, { timeout: '60s' })
    expect(error).toEqual({
      code: -32000,
      message: 'the trace is too large: more than 40000000 bytes (json-rpc.trace-max-size)',
    })
    expect(spooled()).toEqual([])
  })

  test('of memory is ended with an error', async () => {
    const { error } = await traceCall(callsEndlessly, 30_000_000, { tracer: 'callTracer', timeout: '60s' })
    expect(error).toEqual({
      code: -32000,
      message: 'the trace is too large: it takes more than 32000000 bytes of memory',
    })
  })

  test('of time is ended as in geth', async () => {
    const { error } = await traceCall(endless, 50_000_000, { tracer: 'opcountTracer', timeout: '50ms' })
    expect(error).toEqual({ code: -32000, message: 'execution timeout' })
  })

  test('in the format of Parity has the same bounds', slow, async () => {
    const traceParity = async (code: string, gas: number, kinds: readonly string[]) => {
      const call = { to, gas: `0x${gas.toString(16)}` }
      return (await client.send('trace_call', [call, kinds, 'latest', at(code)])).error
    }
    expect(await traceParity(endless, 30_000_000, ['vmTrace'])).toEqual({
      code: -32000,
      message: 'the trace is too large: more than 40000000 bytes (json-rpc.trace-max-size)',
    })
    expect(await traceParity(transfersEndlessly, 50_000_000, ['trace'])).toEqual({
      code: -32000,
      message: 'the trace is too large: it takes more than 32000000 bytes of memory',
    })
    const many = Array.from({ length: 1_001 }, () => [{ to }, ['trace']])
    expect((await client.send('trace_callMany', [many])).error?.code).toBe(-32602)
    expect(spooled()).toEqual([])
  })

  test('and one that is long but allowed comes whole, from a file that is gone then', slow, async () => {
    const { result } = await traceCall(endless, 900_000, { timeout: '60s' })
    const { structLogs } = result as { structLogs: readonly unknown[] }
    expect(JSON.stringify(structLogs).length).toBeGreaterThan(8_000_000)
    expect(spooled()).toEqual([])
    const { result: counted } = await traceCall(endless, 900_000, { tracer: 'opcountTracer' })
    expect(structLogs.length).toBe(counted)
  })

  test('and one that nobody waits for is given up', slow, async () => {
    const gone = new AbortController()
    const params = [
      { to, gas: '0x2faf080' },
      'latest',
      { tracer: 'opcountTracer', timeout: '50s', stateOverrides: at(endless) },
    ]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params })
    const headers = { 'Content-Type': 'application/json' }
    const left = fetch(client.url, { method: 'POST', headers, body, signal: gone.signal })
    setTimeout(() => gone.abort(), 300)
    await expect(left).rejects.toThrow()
    // There is one worker: it is free again long before the other trace would have ended.
    const start = performance.now()
    const { result } = await traceCall(endless, 100_000, { tracer: 'noopTracer' })
    expect(result).toEqual({})
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test('a batch, and a message of a connection that stays, hold short ones only', slow, async () => {
    const config = { timeout: '60s', stateOverrides: at(endless) }
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'debug_traceCall',
      params: [{ to, gas: '0x13d620' }, 'latest', config],
    }
    const answers = JSON.parse(await postJson(client.url, JSON.stringify([call]))) as {
      error?: { code: number }
    }[]
    expect(answers[0]?.error?.code).toBe(-32003)
    const socket = await WsClient.open(ws)
    const answer = JSON.parse(await socket.ask(JSON.stringify(call))) as { result?: { failed: boolean } }
    expect(answer.result?.failed).toBe(true)
    socket.socket.close()
  })

  test('files are read under traces alone', async () => {
    const token = runProgram(['token', '--home', home])
    await token.ended()
    const ask = async (file: string) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'debug_traceBlockFromFile',
        params: [file],
      })
      const response = await fetch(client.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token.stdout().trim()}` },
        body,
      })
      return ((await response.json()) as { error?: { code: number; message: string } }).error
    }
    mkdirSync(join(home, 'traces'), { recursive: true })
    writeFileSync(join(home, 'traces', 'bad.rlp'), 'no block')
    expect((await ask('../jwt.hex'))?.code).toBe(-32602)
    expect((await ask('/etc/passwd'))?.code).toBe(-32602)
    symlinkSync('../jwt.hex', join(home, 'traces', 'link.rlp'))
    symlinkSync('/etc', join(home, 'traces', 'folder'))
    expect((await ask('link.rlp'))?.code).toBe(-32602)
    expect((await ask('folder/passwd'))?.code).toBe(-32602)
    expect((await ask('missing.rlp'))?.message).toMatch(/^could not read file/)
    expect((await ask('bad.rlp'))?.message).toMatch(/^could not decode block/)
  })

  test('a chain is traced block by block over a connection that stays', async () => {
    const [from] = await client.call<string[]>('eth_accounts')
    for (let count = 0; count < 3; count++)
      await client.call('eth_sendTransaction', { from, to: from, value: '0x1' })
    expect((await client.send('debug_subscribe', ['traceChain', '0x0', '0x3'])).error?.code).toBe(-32004)
    const socket = await WsClient.open(ws)
    const ask = (id: number, ...params: unknown[]) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'debug_subscribe', params })
    const wrong = JSON.parse(await socket.ask(ask(1, 'traceChain', '0x2', '0x2'))) as {
      error: { message: string }
    }
    expect(wrong.error.message).toBe('end block (#2) needs to come after start block (#2)')
    const answer = await socket.ask(ask(2, 'traceChain', '0x0', '0x3', { tracer: 'callTracer' }))
    const { result: id } = JSON.parse(answer) as { result: string }
    const notices = (await socket.receive(5)).slice(2).map((text) => JSON.parse(text))
    expect(notices.map(({ method }) => method)).toEqual(Array(3).fill('debug_subscription'))
    expect(notices.map(({ params }) => params.subscription)).toEqual([id, id, id])
    expect(notices.map(({ params }) => params.result.block)).toEqual(['0x1', '0x2', '0x3'])
    expect(notices[0].params.result.traces).toMatchObject([{ result: { type: 'CALL', gasUsed: '0x5208' } }])
    socket.socket.close()
  })
})
