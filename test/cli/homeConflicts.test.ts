import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** One start, up to its ready line; then it is ended. */
const startOnce = async (home: string, ...flags: readonly string[]): Promise<Record<string, string>> => {
  const program = runProgram(['start', ...isolatedFlags(home), ...flags])
  try {
    const facts = await program.ready()
    const config = await postJson(
      facts.http ?? '',
      '{"jsonrpc":"2.0","id":1,"method":"eth_config","params":[]}',
    )
    return { chain: facts.chain ?? '', config }
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
  }
}

/** What a start that is refused says, and its code. */
const refusalOf = async (home: string, flags: readonly string[], env: Record<string, string> = {}) => {
  const program = runProgram(['start', ...isolatedFlags(home), '--log.level=silent', ...flags], env)
  const ended = program.ended()
  // One that is not refused would not end.
  void program.ready().then(
    () => program.child.kill('SIGTERM'),
    () => {},
  )
  const code = await ended
  return { code, said: program.stderr() }
}

const advice = 'leave it out, or use another --home\n'
const otherWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

describe('settings that contradict the chain of a home with a dev genesis', () => {
  let home: string
  beforeAll(async () => {
    home = temporaryHome()
    await startOnce(home, '--chain-id=5', '--accounts=3', '--balance=7')
  })
  afterAll(() => rmSync(home, { recursive: true }))

  test.each([
    ['--chain-id=6', `chain-id: got 6 (--chain-id), but the chain of this home has 5: ${advice}`],
    [
      '--fork-name=berlin',
      `fork-name: got berlin (--fork-name), but the chain of this home began with osaka: ${advice}`,
    ],
    [
      '--genesis-transaction-gas=0',
      `genesis-transaction-gas: got 0 (--genesis-transaction-gas), but the chain of this home began with 16777216: ${advice}`,
    ],
    [
      '--genesis-gas-limit=30000000',
      `genesis-gas-limit: got 30000000 (--genesis-gas-limit), but the chain of this home began with 60000000: ${advice}`,
    ],
    [
      '--genesis-base-fee=7',
      `genesis-base-fee: got 7 (--genesis-base-fee), but the chain of this home began with 1000000000: ${advice}`,
    ],
    ['--accounts=4', `accounts: got 4 (--accounts), but the chain of this home began with 3: ${advice}`],
    ['--balance=8', `balance: got 8 (--balance), but the chain of this home began with 7: ${advice}`],
    [
      `--mnemonic=${otherWords}`,
      `mnemonic: got (not shown) (--mnemonic), but the chain of this home did not begin with its accounts: ${advice}`,
    ],
  ])(
    '%s is refused, and not ignored',
    async (flag, said) => {
      expect(await refusalOf(home, [flag])).toEqual({ code: 78, said: `perihelion: ${said}` })
    },
    60_000,
  )

  test('what says how a chain begins is refused before anything is opened or told', async () => {
    const flags = ['--log.level=debug', '--fork-name=berlin', '--genesis-time=5']
    const program = runProgram(['start', ...isolatedFlags(home), ...flags])
    expect(await program.ended()).toBe(78)
    expect(program.stdout()).toBe('')
    expect(program.stderr()).toMatch(/^perihelion: fork-name: got berlin .*\n.*genesis-time: got 5 .*\n$/)
  })

  test('so is a variable, a value of app.toml and a genesis file', slow, async () => {
    expect(await refusalOf(home, [], { PERIHELION_CHAIN_ID: '6' })).toEqual({
      code: 78,
      said: `perihelion: chain-id: got 6 (PERIHELION_CHAIN_ID), but the chain of this home has 5: ${advice}`,
    })
    const genesis = join(home, 'genesis.json')
    writeFileSync(genesis, JSON.stringify({ config: { chainId: 5 }, alloc: {} }))
    const { code, said } = await refusalOf(home, ['--genesis', genesis])
    expect({ code, said }).toEqual({
      code: 78,
      said: expect.stringContaining(`genesis: got ${genesis} (--genesis)`),
    })
    const file = join(home, 'config', 'app.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('chain-id = 31337', 'chain-id = 6'))
    const refusal = await refusalOf(home, [])
    writeFileSync(file, text)
    expect(refusal.code).toBe(78)
    expect(refusal.said).toMatch(/chain-id: got 6 \(.*app\.toml:\d+\), but the chain of this home has 5/)
  })

  test('the same values are taken, and the defaults that app.toml holds never conflict', slow, async () => {
    expect(await startOnce(home)).toMatchObject({ chain: '5' })
    const same = ['--chain-id=5', '--accounts=3', '--fork-name=osaka', '--genesis-gas-limit=60000000']
    expect(await startOnce(home, ...same)).toMatchObject({ chain: '5' })
  })
})

test('settings of a dev genesis that contradict a genesis file are refused, and nothing is begun', async () => {
  const home = temporaryHome()
  const genesis = join(home, 'genesis.json')
  writeFileSync(genesis, JSON.stringify({ config: { chainId: 7 }, gasLimit: '0x1c9c380', alloc: {} }))
  expect(await refusalOf(home, ['--genesis', genesis, '--genesis-gas-limit=60000000'])).toEqual({
    code: 78,
    said:
      'perihelion: genesis-gas-limit: got 60000000 (--genesis-gas-limit), but the genesis ' +
      `${genesis} begins with 30000000: leave it out, or change the file\n`,
  })
  expect(readdirSync(home)).toEqual(['genesis.json'])
  rmSync(home, { recursive: true })
})

describe('a home that began with a genesis file', slow, () => {
  let home: string
  const later = 4_000_000_000
  const write = (name: string, config: object, alloc: object = {}): string => {
    const path = join(home, name)
    const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
    const blocks = [...forks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])
    const all = {
      chainId: 7,
      ...Object.fromEntries(blocks),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      ...config,
    }
    writeFileSync(path, JSON.stringify({ config: all, gasLimit: '0x1c9c380', alloc }))
    return path
  }
  beforeAll(async () => {
    home = temporaryHome()
    await startOnce(home, '--genesis', write('first.json', { cancunTime: 0, pragueTime: later }))
  })
  afterAll(() => rmSync(home, { recursive: true }))

  test('refuses another one, in its accounts, its chain id and its past forks', async () => {
    const account = { [`0x${'11'.repeat(20)}`]: { balance: '1' } }
    const others = [
      [write('accounts.json', { cancunTime: 0, pragueTime: later }, account), 'began with'],
      [write('id.json', { chainId: 8, cancunTime: 0, pragueTime: later }), 'chain id'],
      [write('past.json', { grayGlacierBlock: 0, cancunTime: 0, pragueTime: later }), 'grayGlacier'],
    ] as const
    for (const [path, said] of others) {
      const refusal = await refusalOf(home, ['--genesis', path])
      expect(refusal.code).toBe(78)
      expect(refusal.said).toContain(
        `perihelion: genesis: got ${path} (--genesis), but the chain of this home `,
      )
      expect(refusal.said).toContain(said)
      expect(refusal.said.trim().split('\n')).toHaveLength(1)
    }
  })

  test('takes over fork times that are still to come, and keeps them', async () => {
    const moved = later + 5
    const { config = '' } = await startOnce(
      home,
      '--genesis',
      write('moved.json', { cancunTime: 0, pragueTime: moved }),
    )
    expect(JSON.parse(config).result.next.activationTime).toBe(moved)
    const { config: kept = '' } = await startOnce(home)
    expect(JSON.parse(kept).result.next.activationTime).toBe(moved)
  })
})
