import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const run = (...args: readonly string[]) => runToEnd(args)

const readJson = (...names: readonly string[]): unknown => JSON.parse(readFileSync(join(...names), 'utf8'))

const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
const blocks = Object.fromEntries(
  [...forks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0]),
)

describe('perihelion init', () => {
  let folder: string
  let home: string
  beforeEach(() => {
    folder = temporaryHome()
    home = join(folder, 'home')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const writeGenesis = (name: string, extra: object = {}, alloc: object = {}): string => {
    const path = join(folder, name)
    const config = { chainId: 7, ...blocks, terminalTotalDifficulty: 0, shanghaiTime: 0, ...extra }
    writeFileSync(path, JSON.stringify({ config, gasLimit: '0x1c9c380', alloc }))
    return path
  }

  test('makes a home with a genesis of its own, which a plain start begins with', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const genesis = writeGenesis('genesis.json')
    const made = await run('init', '--home', home, '--genesis', genesis, '--block-time=2s')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^home +.*\nengine +solo\ngenesis +0x[0-9a-f]{64}\nchain id +7\n$/)
    expect(readdirSync(home).sort()).toEqual(['config', 'jwt.hex', 'mode.json'])
    expect(readFileSync(join(home, 'config', 'app.toml'), 'utf8')).toMatch(/^block-time = "2s"$/m)
    const mode = readJson(home, 'mode.json')
    expect(mode).toMatchObject({ engine: 'solo', dev: false, chainId: '7' })

    const other = writeGenesis('other.json', {}, { [`0x${'11'.repeat(20)}`]: { balance: '1' } })
    const refused = await run('start', ...isolatedFlags(home), '--log.level=silent', '--genesis', other)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toMatch(
      /^perihelion: genesis: got .* but this home is for the genesis with block [^\n]*\n$/,
    )
    const id = await run('start', ...isolatedFlags(home), '--log.level=silent', '--chain-id=8')
    expect(id).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('chain-id: got 8 (--chain-id), but'),
    })

    const started = await run('start', ...isolatedFlags(home))
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining(' chain=7 height=0') })
    expect(readJson(home, 'mode.json')).toEqual({ ...(mode as object), begun: true })
  })

  test('makes the keys and the configuration of a validator, who waits for a genesis', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const flags = ['--home', home, '--engine=cometbft', '--moniker', 'one', '--engine-p2p=127.0.0.1:26999']
    const { code, stdout } = await run('init', ...flags)
    expect(code).toBe(0)
    expect(readFileSync(join(home, 'engine', 'config', 'config.toml'), 'utf8')).toMatch(/^moniker = "one"$/m)
    expect(readJson(home, 'mode.json')).toEqual({ version: 1, engine: 'cometbft', dev: false })
    const key = readJson(home, 'engine', 'config', 'priv_validator_key.json') as {
      readonly address: string
      readonly pub_key: { readonly value: string }
    }
    const shown = await run('network', 'id', '--home', home)
    expect(stdout).toContain(shown.stdout)
    expect(shown.stdout).toMatch(/^to dial +[0-9a-f]{40}@127\.0\.0\.1:26999$/m)
    expect(JSON.parse((await run('network', 'id', '--home', home, '--json')).stdout)).toMatchObject({
      validatorKey: key.pub_key.value,
      validatorAddress: key.address,
    })
    const refused = await run('start', ...isolatedFlags(home))
    expect(refused).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('genesis: none is given, and this home'),
    })
    expect(existsSync(join(home, 'data'))).toBe(false)
  })

  test('makes a home that a chain of no duration does not take the place of, nor one with another genesis', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const coinbase = `0x${'aa'.repeat(20)}`
    const validators = [{ pubkey: `0x${'22'.repeat(32)}`, power: 10, reward: coinbase }]
    const first = writeGenesis('first.json', { perihelion: { validators } })
    const other = writeGenesis('other.json', { perihelion: { validators } }, { [coinbase]: { balance: '1' } })
    // A chain with validators that has its first block, and no engine yet.
    writeFileSync(join(folder, 'none.rlp'), '')
    const begun = await run('import', '--home', home, '--genesis', first, join(folder, 'none.rlp'))
    expect(begun.code, begun.stderr).toBe(0)
    const files = () => readdirSync(home, { recursive: true }).sort()
    const before = files()
    const flags = [...isolatedFlags(home), '--engine=cometbft', '--log.level=silent']
    const peers = `${'ab'.repeat(20)}@127.0.0.1:1`
    for (const [args, said] of [
      [
        ['--genesis', other, '--persistent-peers', peers],
        'genesis: got .*, but the chain of this home began with',
      ],
      [
        ['--ephemeral'],
        'ephemeral: got true \\(--ephemeral\\), but the chain of this home is not a dev chain',
      ],
    ] as const) {
      const refused = await run('start', ...flags, ...args)
      expect(refused.code).toBe(78)
      expect(refused.stderr).toMatch(new RegExp(`^perihelion: ${said}[^\n]*\n$`))
      expect(files()).toEqual(before)
    }
  })

  test('changes no home that there is, and takes no genesis that its engine refuses', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    const genesis = writeGenesis('genesis.json')
    const comet = await run('init', '--home', home, '--engine=cometbft', '--genesis', genesis)
    expect(comet).toMatchObject({
      code: 74,
      stderr: expect.stringContaining('the genesis names no validators'),
    })
    expect(existsSync(home)).toBe(false)
    expect(await run('init', '--home', home)).toMatchObject({ code: 0 })
    expect(readJson(home, 'mode.json')).toEqual({ version: 1, engine: 'solo', dev: true })
    expect(await run('init', '--home', home)).toEqual({
      code: 78,
      stdout: '',
      stderr: `perihelion: ${home} is a home already: start it, or make another one with --home\n`,
    })
    expect(await run('init', '--home', home, '--engine=none')).toMatchObject({ code: 78 })
  })

  test('joins what others wrote without a home of its own', async () => {
    const id = 'ab'.repeat(20)
    const file = join(home, '..', `peer-${process.pid}.json`)
    writeFileSync(file, JSON.stringify({ nodeId: id, validatorKey: 'x', p2p: '10.0.0.2:26656' }))
    try {
      const { code, stdout } = await runToEnd(['network', 'peers', file], { HOME: home })
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${id}@10.0.0.2:26656\n` })
      // A home that was named has to be one.
      expect(await run('network', 'peers', '--home', home, file)).toMatchObject({ code: 74 })
    } finally {
      rmSync(file)
    }
  })

  test('tells of no node where there are no keys', async () => {
    expect(await run('network', 'id', '--home', home)).toMatchObject({
      code: 74,
      stderr: expect.stringContaining('make one with `perihelion init --engine cometbft --home DIR`'),
    })
  })
})
