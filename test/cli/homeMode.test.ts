import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** One start, up to its ready line; then it is ended. */
const startOnce = async (home: string, ...flags: readonly string[]) => {
  const program = runProgram(['start', ...isolatedFlags(home), ...flags])
  try {
    const { http = '', chain = '' } = await program.ready()
    const call = async <T>(method: string): Promise<T> => {
      const reply = await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
      return (JSON.parse(reply) as { readonly result: T }).result
    }
    const accounts = await call<readonly string[]>('eth_accounts')
    return { chain, accounts: accounts.length, coinbase: await call<string>('eth_coinbase') }
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
  }
}

const refusalOf = (home: string, flags: readonly string[], env: Record<string, string> = {}) =>
  runToEnd(['start', ...isolatedFlags(home), '--log.level=silent', ...flags], env)

/** Every file of a folder with a digest of its content; a reader of the data leaves its mark in a lock file. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.endsWith('-lock') && statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  )

const modeOf = (home: string): unknown => JSON.parse(readFileSync(join(home, 'mode.json'), 'utf8'))

const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
const blocks = Object.fromEntries(
  [...forks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0]),
)

const writeGenesis = (path: string, chainId = 7, alloc: object = {}): string => {
  const config = { chainId, ...blocks, terminalTotalDifficulty: 0, shanghaiTime: 0 }
  writeFileSync(path, JSON.stringify({ config, gasLimit: '0x1c9c380', alloc }))
  return path
}

const account = { [`0x${'11'.repeat(20)}`]: { balance: '1' } }
const advice = 'leave it out, or use another --home\n'
const zeros = `0x${'00'.repeat(20)}`
const devChain = { chain: '31337', accounts: 10 }

describe('a home with a genesis of its own', () => {
  let folder: string
  let home: string
  let genesis: string
  beforeAll(async () => {
    folder = temporaryHome()
    home = join(folder, 'home')
    genesis = writeGenesis(join(folder, 'genesis.json'))
    await startOnce(home, '--genesis', genesis)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  test('says so, and has its genesis', () => {
    expect(modeOf(home)).toEqual({
      version: 1,
      engine: 'solo',
      dev: false,
      chainId: '7',
      genesisHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      begun: true,
    })
    expect(readFileSync(join(home, 'config', 'genesis.json'), 'utf8')).toBe(readFileSync(genesis, 'utf8'))
  })

  test('goes on as what it is without a flag: no account is unlocked, and nobody’s key gets the tips', async () => {
    expect(await startOnce(home)).toEqual({ chain: '7', accounts: 0, coinbase: zeros })
  }, 60_000)

  test.each([
    [
      '--engine=cometbft',
      `engine: got cometbft (--engine), but the chain of this home is made by solo: ${advice}`,
    ],
    ['--dev', `dev: got true (--dev), but the chain of this home is not a dev chain: ${advice}`],
    [
      '--accounts=3',
      `accounts: got 3 (--accounts), but the chain of this home is not a dev chain: ${advice}`,
    ],
    ['--balance=3', `balance: got 3 (--balance), but the chain of this home is not a dev chain: ${advice}`],
    ['--chain-id=8', `chain-id: got 8 (--chain-id), but the chain of this home has 7: ${advice}`],
  ])(
    'refuses %s in one line, and writes nothing',
    async (flag, said) => {
      const before = contentOf(home)
      expect(await refusalOf(home, [flag])).toEqual({ code: 78, stdout: '', stderr: `perihelion: ${said}` })
      expect(contentOf(home)).toEqual(before)
    },
    60_000,
  )

  test('refuses a variable, a line of app.toml and another genesis, and writes nothing', async () => {
    const file = join(home, 'config', 'app.toml')
    const text = readFileSync(file, 'utf8')
    const other = writeGenesis(join(folder, 'other.json'), 7, account)
    const before = contentOf(home)
    const variable = await refusalOf(home, [], { PERIHELION_DEV: 'true' })
    expect(variable).toMatchObject({ code: 78, stderr: expect.stringContaining('(PERIHELION_DEV), but the') })
    const refused = await refusalOf(home, ['--genesis', other])
    expect(refused).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('but the chain of this home began with'),
    })
    expect(refused.stderr.trim().split('\n')).toHaveLength(1)
    expect(contentOf(home)).toEqual(before)
    writeFileSync(file, text.replace('engine = "solo"', 'engine = "cometbft"'))
    const line = await refusalOf(home, [])
    writeFileSync(file, text)
    expect(line.code).toBe(78)
    expect(line.stderr).toMatch(/^perihelion: engine: got cometbft \(.*app\.toml:\d+\), but [^\n]*\n$/)
    expect(contentOf(home)).toEqual(before)
  }, 120_000)

  test('is told apart from a dev chain where its file is missing, as in homes of older versions', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const mode = modeOf(home)
    rmSync(join(home, 'mode.json'))
    rmSync(join(home, 'config', 'genesis.json'))
    expect(await refusalOf(home, ['--dev'])).toMatchObject({ code: 78 })
    expect(existsSync(join(home, 'mode.json'))).toBe(false)
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0 })
    expect(modeOf(home)).toEqual(mode)
    await startOnce(home, '--genesis', genesis)
    expect(existsSync(join(home, 'config', 'genesis.json'))).toBe(true)
  })

  test.each(['', '[]', '{"version":2}', '{"version":1,"engine":"other"}', '{"version":1,"dev":1}'])(
    'ends in one line where its file is damaged: %j',
    async (text) => {
      const path = join(home, 'mode.json')
      const before = readFileSync(path)
      writeFileSync(path, text)
      const { code, stderr } = await refusalOf(home, [])
      writeFileSync(path, before)
      expect(stderr).toMatch(
        /^perihelion: .*mode\.json cannot be used: [^\n]*: restore it from a backup, or remove it[^\n]*\n$/,
      )
      expect(code).toBe(74)
    },
    60_000,
  )

  test('stays one after a reset, and may then begin with another genesis', {
    ...slow,
    timeout: 180_000,
  }, async () => {
    const { chainId: _, genesisHash: __, begun: ___, ...kept } = modeOf(home) as Record<string, unknown>
    expect((await runToEnd(['reset', '--home', home, '--yes'])).code).toBe(0)
    expect(modeOf(home)).toEqual(kept)
    expect(await refusalOf(home, ['--dev'])).toMatchObject({ code: 78 })
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0 })
    expect((await runToEnd(['reset', '--home', home, '--yes'])).code).toBe(0)
    const other = writeGenesis(join(folder, 'eight.json'), 8)
    expect(await startOnce(home, '--genesis', other)).toMatchObject({ chain: '8', accounts: 0 })
    expect(await startOnce(home)).toMatchObject({ chain: '8', accounts: 0 })
  })
})

describe('a home that init made for CometBFT, with its genesis', () => {
  let folder: string
  let home: string
  let other: string
  beforeAll(async () => {
    folder = temporaryHome()
    home = join(folder, 'home')
    const first = join(folder, 'first')
    expect((await runToEnd(['init', '--home', first, '--engine=cometbft'])).code).toBe(0)
    const id = join(folder, 'id.json')
    writeFileSync(id, (await runToEnd(['network', 'id', '--home', first, '--json'])).stdout)
    const files = [join(folder, 'genesis.json'), join(folder, 'other.json')]
    for (const [index, file] of files.entries()) {
      const coins = ['--alloc', `0x${'11'.repeat(20)}=${index + 1}`]
      await runToEnd(['genesis', 'new', file, '--chain-id=7', ...coins])
      const reward = ['--reward', `0x${'22'.repeat(20)}`]
      expect((await runToEnd(['genesis', 'add-validator', file, '--id', id, ...reward])).code).toBe(0)
    }
    other = files[1] ?? ''
    const made = await runToEnd(['init', '--home', home, '--engine=cometbft', '--genesis', files[0] ?? ''])
    expect(made.code).toBe(0)
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  test.each<[string, () => readonly string[], Record<string, string>]>([
    ['engine', () => ['--engine=solo'], {}],
    ['engine', () => [], { PERIHELION_ENGINE: 'solo' }],
    ['genesis', () => ['--genesis', other], {}],
    ['genesis', () => [], { PERIHELION_GENESIS: 'other' }],
    ['chain-id', () => ['--chain-id=8'], {}],
    ['chain-id', () => [], { PERIHELION_CHAIN_ID: '8' }],
    ['dev', () => ['--dev'], {}],
    ['dev', () => [], { PERIHELION_DEV: 'true' }],
    ['accounts', () => ['--accounts=3'], {}],
    ['balance', () => ['--balance=3'], {}],
    ['mnemonic', () => ['--mnemonic', words], {}],
    ['mnemonic', () => [], { PERIHELION_MNEMONIC: words }],
  ])(
    'refuses another %s in one line, and writes nothing (%#)',
    async (name, flags, env) => {
      const variables = env.PERIHELION_GENESIS === undefined ? env : { PERIHELION_GENESIS: other }
      const before = contentOf(home)
      const { code, stdout, stderr } = await refusalOf(home, flags(), variables)
      expect(stderr).toMatch(/^perihelion: [^\n]*\n$/)
      expect(stderr).toContain(name)
      expect(stderr).not.toContain('sausage')
      expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
      expect(contentOf(home)).toEqual(before)
    },
    60_000,
  )
})

describe('a home', () => {
  let folder: string
  let home: string
  beforeEach(() => {
    folder = temporaryHome()
    home = join(folder, 'home')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('of the dev chain goes on as one, refuses another engine, and binds nobody after a reset', {
    ...slow,
    timeout: 180_000,
  }, async () => {
    expect(await startOnce(home)).toMatchObject(devChain)
    expect(modeOf(home)).toEqual({ version: 1, engine: 'solo', dev: true })
    const before = contentOf(home)
    expect(await refusalOf(home, ['--engine=cometbft'])).toEqual({
      code: 78,
      stdout: '',
      stderr: `perihelion: engine: got cometbft (--engine), but the chain of this home is made by solo: ${advice}`,
    })
    expect(contentOf(home)).toEqual(before)
    // As an older version left it.
    rmSync(join(home, 'mode.json'))
    expect(await startOnce(home)).toMatchObject(devChain)
    expect(await startOnce(home, '--dev=false')).toMatchObject({ chain: '31337', accounts: 0 })
    expect(modeOf(home)).toMatchObject({ dev: true })
    expect((await runToEnd(['reset', '--home', home, '--yes'])).code).toBe(0)
    const genesis = writeGenesis(join(folder, 'genesis.json'))
    expect(await startOnce(home, '--genesis', genesis)).toMatchObject({ chain: '7', accounts: 0 })
    expect(modeOf(home)).toMatchObject({ dev: false })
  })

  test('that begins with a genesis refuses what contradicts it, and begins nothing', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const genesis = ['--genesis', writeGenesis(join(folder, 'genesis.json'))]
    for (const flag of ['--dev', '--accounts=3', '--chain-id=8']) {
      const { code, stderr } = await refusalOf(home, [...genesis, flag])
      expect(stderr).toMatch(/^perihelion: (?:dev|accounts|chain-id): got [^\n]*\n$/)
      expect(code).toBe(78)
      expect(existsSync(join(home, 'mode.json'))).toBe(false)
    }
    // A chain that is gone at the end is nobody's home.
    expect(await startOnce(home, ...genesis, '--dev', '--ephemeral')).toMatchObject({ accounts: 10 })
    expect(existsSync(join(home, 'mode.json'))).toBe(false)
  })

  test('without an engine is only looked at', { ...slow, timeout: 120_000 }, async () => {
    expect(await startOnce(home, '--engine=none')).toMatchObject({ chain: '31337' })
    expect(existsSync(join(home, 'mode.json'))).toBe(false)
    expect(await startOnce(home)).toMatchObject(devChain)
    expect(await startOnce(home, '--engine=none')).toMatchObject({ accounts: 0 })
    expect(modeOf(home)).toEqual({ version: 1, engine: 'solo', dev: true })
  })

  test('that was prepared for CometBFT is CometBFT’s, and waits for its genesis', async () => {
    mkdirSync(join(home, 'engine', 'config'), { recursive: true })
    writeFileSync(join(home, 'engine', 'config', 'priv_validator_key.json'), '{}')
    const before = contentOf(home)
    expect(await refusalOf(home, ['--engine=solo'])).toMatchObject({
      code: 78,
      stderr: `perihelion: engine: got solo (--engine), but this home is prepared for cometbft: ${advice}`,
    })
    expect(contentOf(home)).toEqual(before)
    const { stdout } = await runToEnd(['config', 'show', '--home', home])
    expect(stdout).toMatch(/^engine = "cometbft" /m)
    expect(contentOf(home)).toEqual(before)
  }, 60_000)

  test('that was imported is not a dev chain, whoever makes its next block', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const source = join(folder, 'source')
    await startOnce(source)
    const files = join(folder, 'files')
    await runToEnd(['export', '--home', source, '--out', files])
    const imported = await runToEnd([
      ...['import', '--genesis', join(files, 'genesis.json'), join(files, 'chain.rlp'), '--home', home],
    ])
    expect(imported.code).toBe(0)
    expect(modeOf(home)).toMatchObject({ dev: false, chainId: '31337' })
    expect(modeOf(home)).not.toHaveProperty('engine')
    expect(await refusalOf(home, ['--dev'])).toMatchObject({ code: 78 })
    expect(await startOnce(home)).toMatchObject({ chain: '31337', accounts: 0 })
    expect(modeOf(home)).toMatchObject({ engine: 'solo', dev: false })
  })

  test('whose first start is killed says what it is, or has no block', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const genesis = ['--genesis', writeGenesis(join(folder, 'genesis.json'))]
    const program = runProgram(['start', ...isolatedFlags(home), ...genesis])
    const ended = program.ended()
    while (!existsSync(join(home, 'mode.json'))) await new Promise((resolve) => setTimeout(resolve, 1))
    program.child.kill('SIGKILL')
    await ended
    expect(modeOf(home)).toMatchObject({ engine: 'solo', dev: false, chainId: '7' })
    const other = writeGenesis(join(folder, 'other.json'), 7, account)
    expect(await refusalOf(home, ['--genesis', other])).toMatchObject({ code: 78 })
    expect(await refusalOf(home, ['--dev'])).toMatchObject({ code: 78 })
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0 })
  })

  test('whose first start was refused is as free as before it', { ...slow, timeout: 120_000 }, async () => {
    const genesis = ['--genesis', writeGenesis(join(folder, 'genesis.json'))]
    expect((await runToEnd(['init', '--home', home])).code).toBe(0)
    expect(await refusalOf(home, [...genesis, '--chain-id=8'])).toMatchObject({ code: 78 })
    expect(await startOnce(home, ...genesis)).toMatchObject({ chain: '7', accounts: 0, coinbase: zeros })
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0, coinbase: zeros })
  })

  test('that waits for its genesis goes on waiting after a start that was refused', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const genesis = writeGenesis(join(folder, 'genesis.json'))
    mkdirSync(home)
    writeFileSync(join(home, 'mode.json'), JSON.stringify({ version: 1, engine: 'solo', dev: false }))
    expect(await refusalOf(home, ['--genesis', genesis, '--chain-id=8'])).toMatchObject({ code: 78 })
    expect(await refusalOf(home, [])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('none is given'),
    })
    expect(await startOnce(home, '--genesis', genesis)).toMatchObject({ chain: '7', accounts: 0 })
  })

  test('that was left between its genesis and its mode is not a dev chain', async () => {
    mkdirSync(join(home, 'config'), { recursive: true })
    writeGenesis(join(home, 'config', 'genesis.json'))
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0 })
    expect(modeOf(home)).toMatchObject({ engine: 'solo', dev: false, chainId: '7' })
  }, 60_000)

  test('of an older version is what its chain says, whatever keys lie beside it', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    expect(await startOnce(home, '--fork-name=london')).toMatchObject(devChain)
    rmSync(join(home, 'mode.json'))
    mkdirSync(join(home, 'engine', 'config'), { recursive: true })
    writeFileSync(join(home, 'engine', 'config', 'priv_validator_key.json'), '{}')
    expect(await startOnce(home, '--engine=solo')).toMatchObject(devChain)
    expect(modeOf(home)).toEqual({ version: 1, engine: 'solo', dev: true })
  })

  test('that names its genesis begins no other one, also without an engine', {
    ...slow,
    timeout: 120_000,
  }, async () => {
    const genesis = writeGenesis(join(folder, 'genesis.json'))
    const other = writeGenesis(join(folder, 'other.json'), 7, account)
    expect((await runToEnd(['init', '--home', home, '--genesis', genesis])).code).toBe(0)
    expect(await refusalOf(home, ['--engine=none', '--genesis', other])).toMatchObject({ code: 78 })
    expect(await startOnce(home)).toMatchObject({ chain: '7', accounts: 0 })
  })

  test('is not made for a genesis that no start would take', async () => {
    const genesis = join(folder, 'genesis.json')
    const config = {
      chainId: 7,
      ...blocks,
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
    }
    writeFileSync(genesis, JSON.stringify({ config, gasLimit: '0x1c9c380', alloc: {} }))
    expect(await runToEnd(['init', '--home', home, '--genesis', genesis])).toMatchObject({ code: 78 })
    const fit = writeGenesis(join(folder, 'fit.json'))
    expect(await runToEnd(['init', '--home', home, '--genesis', fit, '--chain-id=8'])).toMatchObject({
      code: 78,
    })
    expect(existsSync(home)).toBe(false)
  }, 60_000)

  test(
    'a home whose data is gone begins anew with a warning, and one that was reset without',
    slow,
    async () => {
      mkdirSync(home, { recursive: true })
      const genesis = writeGenesis(join(home, 'own.json'))
      const logOf = async (...flags: readonly string[]) => {
        const program = runProgram(['start', ...isolatedFlags(home), ...flags])
        await program.ready()
        program.child.kill('SIGTERM')
        await program.ended()
        return program.stderr()
      }
      const lost = /"level":"warn".*had a chain .* begins again at block 0.*mounted/
      expect(await logOf('--genesis', genesis)).toMatch(/a new home: /)
      expect(await logOf()).not.toMatch(lost)
      rmSync(join(home, 'data'), { recursive: true })
      const again = await logOf()
      expect(again).toMatch(lost)
      expect(again).not.toContain('a new home: ')
      expect((await runToEnd(['reset', '--home', home, '--yes'])).code).toBe(0)
      expect(await logOf('--genesis', genesis)).not.toMatch(lost)
    },
  )
})
