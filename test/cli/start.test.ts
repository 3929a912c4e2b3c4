import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { define as defineConfig } from '../../src/cli/commands/config.ts'
import { postJson, sendHttp, sendIpc } from '../support/clients.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const call = (method: string, params: unknown[] = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

describe('perihelion start', () => {
  let home: string
  const programs: Program[] = []
  const start = (...flags: string[]): Program => {
    const isGiven = (own: string): boolean => flags.some((flag) => flag.split('=')[0] === own.split('=')[0])
    const own = isolatedFlags(home).filter((flag) => !flag.startsWith('--json-rpc') || !isGiven(flag))
    const program = runProgram(['start', ...own, ...flags])
    programs.push(program)
    return program
  }
  /** `config show` in this process: a whole program for each look would be seconds of work on a busy machine. */
  const shown = async (...flags: string[]): Promise<string> => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      const command = new Command()
      defineConfig(command.command('config'))
      await command.parseAsync(['config', 'show', '--home', home, ...flags], { from: 'user' })
      return write.mock.calls.map(([text]) => text).join('')
    } finally {
      write.mockRestore()
    }
  }
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL')
      await ended()
    }
    rmSync(home, { recursive: true, force: true })
  })

  test('a first start makes a home that nobody else can look into, and says where it serves', async () => {
    home = join(home, 'new', 'home')
    const program = start()
    const { http = '', ws } = await program.ready()
    expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ws).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/)
    expect(program.stdout().trim().split('\n')).toHaveLength(1)
    expect(modeOf(home)).toBe('700')
    expect(modeOf(join(home, 'jwt.hex'))).toBe('600')
    expect(modeOf(join(home, 'perihelion.ipc'))).toBe('600')
    expect(readFileSync(join(home, 'config', 'app.toml'), 'utf8')).toContain('minimum-gas-prices')
    expect((await sendHttp(http, { method: 'GET', path: '/ready' })).status).toBe(200)
    expect(await postJson(http, call('web3_clientVersion'))).toContain('"anvil-perihelion/v')
  })

  test('the pages are served', async () => {
    const { http = '' } = await start().ready()
    await postJson(http, call('web3_clientVersion'))
    const metrics = await sendHttp(http, { method: 'GET', path: '/metrics' })
    expect(metrics.body).toContain(
      'perihelion_rpc_requests_total{method="web3_clientVersion",outcome="ok"} 1',
    )
    for (const name of ['request_seconds', 'body_bytes', 'connections', 'rejected_total']) {
      expect(metrics.body).toContain(`perihelion_rpc_${name}`)
    }
    expect(metrics.body).toContain('perihelion_event_loop_delay_seconds')
    for (const pool of ['call', 'trace']) {
      expect(metrics.body).toContain(`perihelion_call_workers{pool="${pool}",state="busy"} 0`)
    }
    const document = await sendHttp(http, { method: 'GET', path: '/openrpc.json' })
    expect(JSON.parse(document.body)).toHaveProperty('openrpc')
    expect(JSON.parse((await sendHttp(http, { method: 'GET', path: '/health' })).body)).toHaveProperty(
      'status',
      'ok',
    )
  })

  test('SIGTERM ends it with 0 and leaves nothing behind', slow, async () => {
    const program = start()
    await program.ready()
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(() => statSync(join(home, 'perihelion.ipc'))).toThrow()
    expect(() => statSync(join(home, 'perihelion.lock'))).toThrow()
    const again = start()
    await again.ready()
    again.child.kill('SIGINT')
    expect(await again.ended()).toBe(0)
  })

  test('a home is for one process, and a killed one does not hold it', slow, async () => {
    const first = start()
    await first.ready()
    const second = start()
    expect(await second.ended()).toBe(75)
    expect(second.stderr()).toBe(
      `perihelion: the home ${home} is in use by process ${first.child.pid}: stop it, or choose another --home\n`,
    )
    first.child.kill('SIGKILL')
    await first.ended()
    await start().ready()
  })

  test('a port that is taken is one line and an exit code, and no home is made', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const fresh = join(home, 'fresh')
    const program = runProgram([
      'start',
      '--home',
      fresh,
      `--json-rpc.address=127.0.0.1:${port}`,
      '--json-rpc.ws-address=',
    ])
    programs.push(program)
    expect(await program.ended()).toBe(69)
    expect(program.stderr()).toContain(
      `perihelion: the address 127.0.0.1:${port} is taken by another process: choose another with --json-rpc.address\n`,
    )
    expect(() => statSync(fresh)).toThrow()
    other.close()
  })

  test('a port that is taken at run time is an error that names it', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await start('--json-rpc.address=').ready()
    const answer = await sendIpc(join(home, 'perihelion.ipc'), call('admin_startRPC', ['127.0.0.1', port]))
    expect(JSON.parse(answer).error.code).toBe(-32000)
    expect(JSON.parse(answer).error.message).toContain(`127.0.0.1:${port}`)
    other.close()
  })

  test('all problems of a configuration are told at once, before anything is touched', async () => {
    mkdirSync(join(home, 'config'))
    writeFileSync(join(home, 'config', 'app.toml'), '[json-rpc]\nadress = "x"\nmax-body-size = "5 parsecs"\n')
    const program = start('--json-rpc.compresion=auto')
    expect(await program.ended()).toBe(78)
    for (const part of ['--json-rpc.compression', 'json-rpc.address', '5 parsecs']) {
      expect(program.stderr()).toContain(part)
    }
    expect(() => statSync(join(home, 'jwt.hex'))).toThrow()
  })

  test('an unknown namespace is a problem of the configuration', async () => {
    const program = start('--json-rpc.api=eth,nte')
    expect(await program.ended()).toBe(78)
    expect(program.stderr()).toContain('nte')
  })

  test('a bad URL of the engine is one line that names the setting', async () => {
    const program = start('--engine=cometbft', '--engine-rpc=127.0.0.1:26657')
    expect(await program.ended()).toBe(78)
    expect(program.stderr()).toContain('engine-rpc: got "127.0.0.1:26657", wanted a URL such as')
    expect(program.stderr()).not.toContain('    at ')
  })

  test('a secret that others can read is refused', async () => {
    writeFileSync(join(home, 'jwt.hex'), 'ab'.repeat(32), { mode: 0o644 })
    const program = start()
    expect(await program.ended()).toBe(74)
    expect(program.stderr()).toContain('chmod 600')
  })

  test('a path for the socket that is too long names the flag', async () => {
    const program = start('--ipc-path', join(home, 'x'.repeat(120)))
    expect(await program.ended()).toBe(78)
    expect(program.stderr()).toContain('--ipc-path')
  })

  test('miner_setGasPrice changes one line, which holds from the next start on; the flag wins', async () => {
    const file = join(home, 'config', 'app.toml')
    const program = start()
    await program.ready()
    const before = readFileSync(file, 'utf8').split('\n')
    const answer = await sendIpc(join(home, 'perihelion.ipc'), call('miner_setGasPrice', ['0x4a817c800']))
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: true })
    const after = readFileSync(file, 'utf8').split('\n')
    expect(after.filter((line, index) => line !== before[index])).toEqual([
      'minimum-gas-prices = "20000000000wei"',
    ])
    expect(after).toHaveLength(before.length)

    expect(await shown()).toMatch(/minimum-gas-prices = "20000000000wei" +# .*app\.toml/)
    expect(await shown('--minimum-gas-prices=7wei')).toMatch(
      /minimum-gas-prices = "7wei" +# --minimum-gas-prices/,
    )
  })

  test('without the dev profile only eth, net and web3 are served', async () => {
    const { http = '' } = await start('--dev=false').ready()
    expect(JSON.parse(await postJson(http, call('rpc_modules'))).result).toEqual({
      eth: '1.0',
      net: '1.0',
      rpc: '1.0',
      web3: '1.0',
    })
    expect(JSON.parse(await postJson(http, call('txpool_status'))).error.code).toBe(-32601)
  })

  test('a token of the command opens private methods', slow, async () => {
    const { http = '' } = await start().ready()
    const program = runProgram(['token', '--home', home])
    programs.push(program)
    expect(await program.ended()).toBe(0)
    const headers = { Authorization: `Bearer ${program.stdout().trim()}` }
    expect(JSON.parse(await postJson(http, call('admin_datadir'), headers)).result).toBe(home)
    expect(JSON.parse(await postJson(http, call('admin_datadir'))).error.code).toBe(4100)
  })

  test('no secret is logged', slow, async () => {
    const program = start('--log.level=trace')
    const { http = '' } = await program.ready()
    const token = runProgram(['token', '--home', home])
    programs.push(token)
    await token.ended()
    const headers = { Authorization: `Bearer ${token.stdout().trim()}` }
    await postJson(
      http,
      call('personal_unlockAccount', [`0x${'11'.repeat(20)}`, 'a passphrase', 60]),
      headers,
    )
    await postJson(http, call('personal_importRawKey', ['ab'.repeat(32), 'a passphrase']), headers)
    const answer = await postJson(http, call('personal_importRawKey', ['not a key', 'a passphrase']), headers)
    const secret = readFileSync(join(home, 'jwt.hex'), 'utf8').trim()
    program.child.kill('SIGTERM')
    await program.ended()
    for (const text of ['a passphrase', 'ab'.repeat(32), 'not a key', secret, token.stdout().trim()]) {
      expect(program.stderr() + program.stdout() + answer).not.toContain(text)
    }
  })
})
