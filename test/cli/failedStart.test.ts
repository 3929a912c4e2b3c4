import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { renderNewGenesis } from '../../src/app/export/genesis.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { isolatedFlags, type Program, runProgram, runToEnd } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Starts that fail after the store was opened: the process ends by itself, with one line, and the home is free. */
describe('a start under CometBFT that fails', () => {
  let home: string
  let program: Program

  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(async () => {
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const expectOneLine = (text: string): void => {
    const lines = program
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('perihelion: '))
    expect(lines).toEqual([`perihelion: ${text}`])
    expect(program.stderr()).not.toContain('    at ')
  }

  test('for want of validators in the genesis', async () => {
    const genesis = join(home, 'genesis.json')
    const options = { chainId: 7n, accounts: [], coinbase: new Uint8Array(20), timestamp: 1_700_000_000n }
    writeFileSync(genesis, renderNewGenesis(createDevGenesis(options)))
    const attached = ['--abci-address', `unix://${join(home, 'abci.sock')}`]
    program = runProgram([
      'start',
      ...isolatedFlags(home),
      '--engine',
      'cometbft',
      '--genesis',
      genesis,
      ...attached,
    ])
    expect(await program.ended()).toBe(74)
    expectOneLine('the genesis names no validators (config.perihelion.validators): CometBFT needs them')
    expect(existsSync(join(home, 'perihelion.lock'))).toBe(false)
    // Nothing was begun, so that the home can begin with a genesis that is right.
    expect(existsSync(join(home, 'data'))).toBe(false)
  })

  test('for an address of the application that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const address = ['--abci-address', `tcp://127.0.0.1:${port}`]
    program = runProgram(['start', ...isolatedFlags(home), '--engine', 'cometbft', ...address])
    expect(await program.ended()).toBe(69)
    expectOneLine(`the address 127.0.0.1:${port} is taken by another process`)
    expect(existsSync(join(home, 'perihelion.lock'))).toBe(false)
    other.close()
  })
})

test('a start that is refused leaves no home', async () => {
  const folder = temporaryHome()
  const home = join(folder, 'home')
  const ends = async (...flags: readonly string[]) =>
    (await runToEnd(['start', ...isolatedFlags(home), '--log.level=silent', ...flags])).code
  try {
    expect(await ends('--genesis', join(folder, 'missing.json'))).toBe(74)
    expect(existsSync(home)).toBe(false)
    // What was there stays.
    mkdirSync(home)
    writeFileSync(join(home, 'jwt.hex'), '11'.repeat(32), { mode: 0o600 })
    expect(await ends('--genesis', join(folder, 'missing.json'))).toBe(74)
    expect(existsSync(join(home, 'jwt.hex'))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.each(['engine-rpc', 'engine-p2p'])(
  'an address of the engine that is taken leaves no home: %s',
  async (setting) => {
    const folder = temporaryHome()
    const home = join(folder, 'home')
    const other = createServer().listen(0, '127.0.0.1')
    try {
      await once(other, 'listening')
      const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`
      const addresses = { 'engine-rpc': 'http://127.0.0.1:0', 'engine-p2p': '127.0.0.1:0' }
      const given = { ...addresses, [setting]: setting === 'engine-rpc' ? `http://${taken}` : taken }
      const flags = Object.entries(given).map(([name, value]) => `--${name}=${value}`)
      const { code, stderr } = await runToEnd([
        'start',
        ...isolatedFlags(home),
        '--engine=cometbft',
        ...flags,
      ])
      expect(stderr).toBe(
        `perihelion: the address ${taken} is taken by another process: choose another with --${setting}\n`,
      )
      expect(code).toBe(69)
      expect(existsSync(home)).toBe(false)
    } finally {
      other.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** A chain that could not make its first block is not begun. */
describe('a new chain whose genesis cannot work', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const start = async (
    genesis: string,
  ): Promise<{ readonly code: number | string; readonly said: string }> => {
    const program = runProgram(['start', ...isolatedFlags(home), '--log.level=silent', '--genesis', genesis])
    const ended = program.ended()
    void program.ready().then(
      () => program.child.kill('SIGTERM'),
      () => {},
    )
    return { code: await ended, said: program.stderr() }
  }

  test('is refused in one line with what to add, and the home can begin with a right one', async () => {
    const path = join(home, 'genesis.json')
    const options = { chainId: 7n, accounts: [], coinbase: new Uint8Array(20), timestamp: 1_700_000_000n }
    const right = renderNewGenesis(createDevGenesis(options))
    const { alloc, ...rest } = JSON.parse(right)
    writeFileSync(path, JSON.stringify({ ...rest, alloc: {} }))
    const { code, said } = await start(path)
    expect(code).toBe(78)
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(said).toContain(
      'the contract of EIP-7002 is missing; add to alloc: "0x00000961ef480eb55e80d19ad83579a64c007002":',
    )
    writeFileSync(path, JSON.stringify({ ...rest, alloc }))
    expect((await start(path)).code).toBe(0)
  })
})
