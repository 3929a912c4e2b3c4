import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const run = async (...args: readonly string[]) => {
  const program = runProgram(['reset', ...args])
  const code = await program.ended()
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

/** Starts a node, calls it, and ends it. */
const callOnce = async (home: string, method: string): Promise<unknown> => {
  const node = runProgram(['start', ...isolatedFlags(home)])
  try {
    const { http = '' } = await node.ready()
    const reply = await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
    return (JSON.parse(reply) as { readonly result: unknown }).result
  } finally {
    node.child.kill('SIGTERM')
    await node.ended()
  }
}

describe('perihelion reset', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test('removes the chain, keeps the rest, and the next start begins anew', slow, async () => {
    await callOnce(home, 'evm_mine')
    const secret = readFileSync(join(home, 'jwt.hex'), 'utf8')
    const settings = readFileSync(join(home, 'config', 'app.toml'), 'utf8')
    expect(await run('--home', home)).toEqual({
      code: 64,
      stdout: '',
      stderr: 'perihelion: the chain would be removed: confirm it with --yes\n',
    })
    expect(existsSync(join(home, 'data', 'chain.mdb'))).toBe(true)
    const { code, stdout } = await run('--home', home, '--yes')
    expect(stdout).toMatch(/^removed .*chain\.mdb \(/m)
    expect(code).toBe(0)
    expect(readdirSync(join(home, 'data'))).toEqual([])
    expect(readFileSync(join(home, 'jwt.hex'), 'utf8')).toBe(secret)
    expect(readFileSync(join(home, 'config', 'app.toml'), 'utf8')).toBe(settings)
    expect(await callOnce(home, 'eth_blockNumber')).toBe('0x0')
  })

  test('refuses while a node runs on the home', slow, async () => {
    const node = runProgram(['start', ...isolatedFlags(home)])
    try {
      await node.ready()
      const { code, stderr } = await run('--home', home, '--yes')
      expect(stderr).toContain(`is in use by process ${node.child.pid}`)
      expect(code).toBe(75)
      expect(existsSync(join(home, 'data', 'chain.mdb'))).toBe(true)
    } finally {
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('keeps what a validator signed, unless it is told otherwise', slow, async () => {
    const data = join(home, 'engine', 'data')
    const record = join(data, 'priv_validator_state.json')
    mkdirSync(join(home, 'engine', 'config'), { recursive: true })
    mkdirSync(join(data, 'blockstore.db'), { recursive: true })
    mkdirSync(join(home, 'data'))
    const genesis = join(home, 'data', 'genesis.json')
    writeFileSync(genesis, '{}')
    writeFileSync(join(data, 'blockstore.db', 'LOG'), 'blocks')
    writeFileSync(record, '{"height":"42","round":0,"step":3}')
    mkdirSync(join(home, 'config'))
    writeFileSync(join(home, 'config', 'app.toml'), `genesis = ${JSON.stringify(genesis)}\n`)
    const kept = await run('--home', home, '--yes')
    expect(kept.stdout).toContain('signs nothing up to height 42')
    expect(readdirSync(data)).toEqual(['priv_validator_state.json'])
    expect(readFileSync(record, 'utf8')).toContain('"42"')
    expect(existsSync(genesis)).toBe(true)
    expect((await run('--home', home, '--yes')).stdout).toContain('nothing to remove')
    const cleared = await run('--home', home, '--yes', '--signing-record')
    expect(cleared.code).toBe(0)
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual({ height: '0', round: 0, step: 0 })
  })

  test('touches no folder that is not a home', async () => {
    mkdirSync(join(home, 'data'))
    writeFileSync(join(home, 'data', 'mine'), 'mine')
    const { code, stderr } = await run('--home', home, '--yes')
    expect(stderr).toBe(`perihelion: ${home} is not the home of a node: nothing is removed\n`)
    expect(code).toBe(74)
    expect(readdirSync(home)).toEqual(['data'])
  })
})
