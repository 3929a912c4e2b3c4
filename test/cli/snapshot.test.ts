import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/base/exit.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'

const ask = async (http: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const reply = await fetch(http, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await reply.json()) as { result: unknown }).result
}

describe('perihelion snapshot', slow, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-snapshot-'))
  const [origin, copy, file] = ['origin', 'copy', 'state.snapshot'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const genesis = join(origin, 'config', 'genesis.json')
  let node: Program | undefined
  let hash = ''
  let height = 0

  beforeAll(async () => {
    // A chain with a genesis of its own, as an exported one has.
    const dev = runProgram(['start', ...isolatedFlags(join(folder, 'dev')), '--log.level=warn'])
    const { http = '' } = await dev.ready()
    const [from, to] = (await ask(http, 'eth_accounts')) as readonly string[]
    for (let i = 0; i < 3; i++) await ask(http, 'eth_sendTransaction', { from, to, value: '0x1' })
    dev.child.kill('SIGTERM')
    await dev.ended()
    const out = join(folder, 'out')
    expect((await runToEnd(['export', '--home', join(folder, 'dev'), '--out', out])).code).toBe(0)
    const imported = await runToEnd([
      ...['import', '--home', origin, '--genesis', join(out, 'genesis.json'), join(out, 'chain.rlp')],
    ])
    expect(imported.code, imported.stderr).toBe(0)
    node = runProgram(['start', ...isolatedFlags(origin), '--engine=solo', '--log.level=warn'])
    const { http: served = '' } = await node.ready()
    const head = (await ask(served, 'eth_getBlockByNumber', 'latest', false)) as {
      number: string
      hash: string
    }
    height = Number(head.number)
    hash = head.hash
  })
  afterAll(async () => {
    node?.child.kill('SIGKILL')
    await node?.ended()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is written beside a running node, and says of which block it is', async () => {
    const { code, stdout, stderr } = await runToEnd(['snapshot', 'export', file, '--home', origin])
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`^exported height=${height} hash=${hash} bytes=\\d+ seconds=[\\d.]+ to `),
    )
    const untrusted = await runToEnd(['snapshot', 'import', file, '--home', copy, '--genesis', genesis])
    expect(untrusted.code).toBe(exitCodes.badConfig)
    expect(untrusted.stderr).toContain(`is the state of block ${height}, ${hash}: ask somebody you trust`)
  })

  test('is taken only as the block that is trusted, and whole', async () => {
    const take = (path: string, trusted: string) =>
      runToEnd(['snapshot', 'import', path, '--home', copy, '--genesis', genesis, '--trust-hash', trusted])
    const other = await take(file, `0x${'11'.repeat(32)}`)
    expect([other.code, other.stderr]).toEqual([
      exitCodes.badFile,
      expect.stringContaining(`hash ${hash}, not`),
    ])
    const bytes = readFileSync(file)
    const broken = join(folder, 'broken')
    const changed = Buffer.from(bytes)
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    for (const [content, reason] of [
      [changed, /chunk \d+ is not the one/],
      [bytes.subarray(0, bytes.length - 5), /cut short/],
      [Buffer.from('something else entirely, of some length'), /is not a snapshot/],
    ] as const) {
      writeFileSync(broken, content)
      const refused = await take(broken, hash)
      expect([refused.code, refused.stderr]).toEqual([exitCodes.badFile, expect.stringMatching(reason)])
    }
  })

  test('begins a home that goes on from its block', async () => {
    const args = ['snapshot', 'import', file, '--home', copy, '--genesis', genesis, '--trust-hash', hash]
    const { code, stdout, stderr } = await runToEnd(args)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(new RegExp(`^imported height=${height} hash=${hash} seconds=`))
    expect((await runToEnd(['db', 'check', '--home', copy])).code).toBe(0)
    const started = runProgram(['start', ...isolatedFlags(copy), '--engine=solo', '--block-time=200ms'])
    try {
      const { http = '' } = await started.ready()
      const block = (await ask(http, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false)) as object
      expect(block).toMatchObject({ hash })
      await eventually(async () => Number(await ask(http, 'eth_blockNumber')) > height)
    } finally {
      started.child.kill('SIGTERM')
      await started.ended()
    }
    const again = await runToEnd(args)
    expect([again.code, again.stderr]).toEqual([
      exitCodes.badFile,
      expect.stringContaining('this home has blocks'),
    ])
  })

  test('is refused for a chain with validators, whose engine has a state of its own', async () => {
    const home = join(folder, 'validator')
    mkdirSync(home)
    writeFileSync(join(home, 'mode.json'), '{ "version": 1, "engine": "cometbft", "dev": false }')
    const refused = await runToEnd(['snapshot', 'import', file, '--home', home, '--trust-hash', hash])
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('by state sync')])
    expect(existsSync(join(home, 'data'))).toBe(false)
  })

  test('leaves no home behind where it is refused', async () => {
    const home = join(folder, 'refused')
    const take = (path: string) =>
      runToEnd(['snapshot', 'import', file, '--home', home, '--genesis', path, '--trust-hash', hash])
    const source = JSON.parse(readFileSync(genesis, 'utf8')) as { config: object; alloc: object }
    const other = join(folder, 'other.json')
    const perihelion = {
      validators: [{ pubkey: `0x${'22'.repeat(32)}`, power: 10, reward: `0x${'33'.repeat(20)}` }],
    }
    for (const [changed, code, said] of [
      [{ ...source, config: { ...source.config, perihelion } }, exitCodes.badConfig, 'by state sync'],
      [{ ...source, extraData: '0x1234' }, exitCodes.badFile, 'it cannot be restored here'],
    ] as const) {
      writeFileSync(other, JSON.stringify(changed))
      const refused = await take(other)
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(said)])
      expect(existsSync(home)).toBe(false)
    }
  })
})
