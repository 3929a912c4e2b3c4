import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from './configError.ts'
import { type ConfigInputs, loadConfig } from './load.ts'
import { toEnvironmentName } from './settings/names.ts'
import { settingValue } from './settings/sections.ts'
import { settingEntries } from './settings/settings.ts'
import { isServiceLink } from './sources/serviceLinks.ts'

let home = ''
let file = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-load-'))
  file = join(home, 'config', 'app.toml')
  mkdirSync(join(home, 'config'))
})
afterEach(() => rmSync(home, { recursive: true }))

const load = ({ flags = [], env = {}, defaults = {} }: Partial<ConfigInputs> = {}) =>
  loadConfig({ flags: ['--home', home, ...flags], env, defaults })

const problemsOf = (inputs: Partial<ConfigInputs> = {}): readonly string[] => {
  try {
    load(inputs)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('layers', () => {
  test('without any input, the defaults', () => {
    const { config, sources } = load()
    for (const [name, setting] of settingEntries) {
      if (name === 'home') continue
      expect(settingValue(config, name)).toEqual(setting.default)
      expect(sources[name]).toEqual({ from: 'default', where: 'default' })
    }
    expect(config.home).toBe(home)
    expect(sources.home).toEqual({ from: 'flag', where: '--home' })
  })

  const variable = { PERIHELION_MINIMUM_GAS_PRICES: '3' }
  const flag = ['--minimum-gas-prices', '4']
  const defaults = { 'minimum-gas-prices': 1n }
  test.each<[string, Partial<ConfigInputs>, string, bigint, string]>([
    ['the default of a command wins over the table', { defaults }, '', 1n, 'default'],
    ['app.toml wins over defaults', { defaults }, 'minimum-gas-prices = 2', 2n, 'file'],
    ['the environment wins over app.toml', { env: variable }, 'minimum-gas-prices = 2', 3n, 'environment'],
    ['a flag wins over all', { env: variable, flags: flag, defaults }, 'minimum-gas-prices = 2', 4n, 'flag'],
  ])('%s', (_name, inputs, toml, value, from) => {
    writeFileSync(file, toml)
    const { config, sources } = load(inputs)
    expect(config.minimumGasPrices).toBe(value)
    expect(sources['minimum-gas-prices'].from).toBe(from)
  })

  test('an address that is off wins over one that is on', () => {
    expect(load({ flags: ['--json-rpc.address='] }).config.jsonRpc.address).toBeUndefined()
    expect(load({ defaults: { 'json-rpc.address': undefined } }).config.jsonRpc.address).toBeUndefined()
  })

  test('a source says the place', () => {
    writeFileSync(file, '# one\n[json-rpc]\napi = ["eth"]\n')
    const { sources } = load({ env: { PERIHELION_DEV: 'false' } })
    expect(sources['json-rpc.api'].where).toBe(`${file}:3`)
    expect(sources.dev.where).toBe('PERIHELION_DEV')
  })

  test('the home is found by flag, then variable, then default, and is absolute', () => {
    writeFileSync(file, 'dev = false\n')
    const other = { PERIHELION_HOME: '/nowhere' }
    expect(load({ env: other }).config).toMatchObject({ home, dev: false })
    expect(loadConfig({ flags: [], env: { PERIHELION_HOME: home } }).config).toMatchObject({
      home,
      dev: false,
    })
    expect(loadConfig({ flags: [], env: {}, defaults: { home } }).config).toMatchObject({ home, dev: false })
    expect(loadConfig({ flags: ['--home=~/no such'], env: {} }).config.home).toBe(join(homedir(), 'no such'))
    expect(loadConfig({ flags: ['--home', 'no such'], env: {} }).config.home).toBe(
      join(process.cwd(), 'no such'),
    )
  })

  test('one address for HTTP and WebSocket is allowed', () => {
    expect(problemsOf({ flags: ['--json-rpc.address=[::1]:1', '--json-rpc.ws-address=[::1]:1'] })).toEqual([])
  })

  test('what somebody chose is told apart from defaults, also from those that app.toml holds', () => {
    writeFileSync(file, 'chain-id = 31337\nbalance = 5\n')
    const { given } = load({ flags: ['--accounts', '10'], env: { PERIHELION_FORK_NAME: 'berlin' } })
    expect(given).toEqual(
      new Map([
        ['home', '--home'],
        ['fork-name', 'PERIHELION_FORK_NAME'],
        ['accounts', '--accounts'],
        ['balance', `${file}:2`],
      ]),
    )
  })

  test('a program may give the items of a list as the text of a flag', () => {
    const options = { home, jsonRpc: { trustedProxies: ['10.0.0.0/8'] } } as object
    const { jsonRpc } = loadConfig({ options }).config
    expect(jsonRpc.trustedProxies).toEqual([{ address: '10.0.0.0', prefix: 8, family: 'ipv4' }])
  })

  test('the config cannot be changed', () => {
    expect(Object.isFrozen(load().config)).toBe(true)
  })
})

describe('problems', () => {
  test.each<[string, Partial<ConfigInputs>, string]>([
    [
      'an unknown flag',
      { flags: ['--json-rpc.adress', 'x'] },
      '--json-rpc.adress: unknown flag, the nearest is --json-rpc.address',
    ],
    [
      'a wrong flag',
      { flags: ['--json-rpc.max-body-size', '5XB'] },
      '--json-rpc.max-body-size: got "5XB", wanted bytes such as',
    ],
    [
      'an unknown variable',
      { env: { PERIHELION_JSON_RPC_ADRESS: '' } },
      'PERIHELION_JSON_RPC_ADRESS: unknown variable, the nearest is PERIHELION_JSON_RPC_ADDRESS',
    ],
    [
      'a wrong variable',
      { env: { PERIHELION_DEV: '' } },
      'PERIHELION_DEV: got "", wanted true, false or auto',
    ],
    [
      'no burst with a rate limit',
      { flags: ['--json-rpc.rate-limit=5', '--json-rpc.rate-limit-burst=0'] },
      'json-rpc.rate-limit-burst: got 0 (--json-rpc.rate-limit-burst), wanted at least 1',
    ],
    [
      'a wait that is longer than any call',
      { flags: ['--json-rpc.queue-timeout=20s', '--json-rpc.http-timeout=15s'] },
      'json-rpc.queue-timeout: got 20000 ms (--json-rpc.queue-timeout), wanted at most json-rpc.http-timeout (15000 ms',
    ],
    [
      'no room for the largest trace',
      { flags: ['--json-rpc.trace-spool=400MB', '--json-rpc.trace-max-size=500MB'] },
      'json-rpc.trace-spool: got 400000000 (--json-rpc.trace-spool), wanted at least json-rpc.trace-max-size (500000000',
    ],
    [
      'no room for the largest trace of one client',
      { flags: ['--json-rpc.trace-max-size=1500MB'] },
      'json-rpc.trace-spool-per-client: got 1000000000 (default), wanted at least json-rpc.trace-max-size (1500000000',
    ],
  ])('%s', (_name, inputs, problem) => {
    const problems = problemsOf(inputs)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  test('variables of other programs do not matter, nor a burst of 0 without a limit', () => {
    expect(problemsOf({ env: { PERIHELIO: 'x', HOME: '/', PERIHELION_GONE: undefined } })).toEqual([])
  })

  test.each(['PERIHELION', 'PERIHELION_GATEWAY', 'PERIHELION_JSON_RPC'])(
    'a service %s of Kubernetes is not a setting',
    (service) => {
      const env = {
        [`${service}_SERVICE_HOST`]: '10.0.0.1',
        [`${service}_SERVICE_PORT`]: '8545',
        [`${service}_SERVICE_PORT_JSON_RPC`]: '8545',
        [`${service}_PORT`]: 'tcp://10.0.0.1:8545',
        [`${service}_PORT_8545_TCP`]: 'tcp://10.0.0.1:8545',
        [`${service}_PORT_8545_TCP_PROTO`]: 'tcp',
        [`${service}_PORT_8545_TCP_PORT`]: '8545',
        [`${service}_PORT_8545_TCP_ADDR`]: 'fd00::1',
        [`${service}_PORT_30303_UDP`]: 'udp://[fd00::1]:30303',
      }
      expect(problemsOf({ env })).toEqual([])
      // No setting may have a name that Kubernetes could set.
      for (const [name] of settingEntries)
        for (const value of Object.values(env))
          expect(isServiceLink(toEnvironmentName(name), value)).toBe(false)
    },
  )

  test('a setting that is misspelt is reported, also where it is named as a service', () => {
    const env = {
      PERIHELION_GATEWAY_PORT: '8545',
      PERIHELION_SERVICE_HOST: 'node.example',
      PERIHELION_JSON_RPC_ADRESS: 'tcp://10.0.0.1:8545',
      PERIHELION_PORT_8545_TCP_SIZE: '1',
    }
    expect(problemsOf({ env }).map((problem) => problem.replace(/:.*/, ''))).toEqual(Object.keys(env).sort())
    expect(problemsOf({ flags: ['--json-rpc.rate-limit-burst=0'] })).toEqual([])
    expect(problemsOf({ flags: ['--json-rpc.http-timeout=1s'] })).toEqual([])
  })

  test('a setting that is gone, in one line that says what to use', () => {
    const env = { PERIHELION_GATEWAY_PEER_TOKEN: 'pa55word' }
    const instead =
      'is gone; gateways that share a database are a fleet: set gateway.database (docs/fleet.md)'
    expect(problemsOf({ flags: ['--gateway.peers', '1=http://k3y@a:1'], env })).toEqual([
      `--gateway.peers: ${instead}`,
      `PERIHELION_GATEWAY_PEER_TOKEN: ${instead}`,
    ])
    // What the first start of an earlier release wrote.
    writeFileSync(file, '[gateway]\nreplica = 0\npeers = []\npeer-token = ""\n')
    expect(problemsOf()).toEqual([])
  })

  test.each<[string, string | Uint8Array, string]>([
    [
      'an unknown key',
      '\nminimum-gas-price = 0',
      ':2: minimum-gas-price: unknown key, the nearest is minimum-gas-prices',
    ],
    [
      'an unknown section',
      '[jsonrpc]\naddress = ""',
      ':2: jsonrpc.address: unknown key, the nearest is json-rpc.address',
    ],
    ['an empty unknown section', '[jsonrpc]', ':1: jsonrpc: unknown key'],
    [
      'tables in an array',
      '[[json-rpc]]\napi = []',
      ':1: json-rpc: got [a table], wanted a section [json-rpc]',
    ],
    ['a section as value', 'log = "info"', ':1: log: got "info", wanted a section [log]'],
    ['a dotted name in quotes', '"log.level" = "info"', ':1: log.level: unknown key'],
    [
      'a setting that is gone',
      '[gateway]\nreplica = 2\npeers = []\npeer-token = ""',
      ':2: gateway.replica: is gone; gateways that share a database are a fleet: set gateway.database',
    ],
    ['__proto__', '__proto__ = 1', ':1: __proto__: unknown key'],
    ['a wrong type', '[json-rpc]\n\nenable = "yes"', ':3: json-rpc.enable: got "yes", wanted true or false'],
    ['a table for a value', '[dev]\nx = 1', ':1: dev: got a table, wanted true, false or auto'],
    ['a date for a value', 'ipc-path = 1979-05-27', ':1: ipc-path: got the date'],
    ['a wrong value in an inline table', '\njson-rpc = { enable = 1 }', ':2: json-rpc.enable: got 1, wanted'],
    [
      'an array of the wrong things',
      'json-rpc.api = ["eth", 5]',
      ':1: json-rpc.api: got ["eth", 5], wanted namespaces',
    ],
    ['the home', 'home = "/x"', ':1: home cannot stand in this file; use --home or PERIHELION_HOME'],
    ['a syntax error', 'dev = true\n\nipc-path = "x\n', ':3: Invalid TOML document'],
    ['a key given twice', 'dev = true\ndev = true\n', ':2: Invalid TOML document'],
    ['bytes that are not UTF-8', new Uint8Array([0x23, 0xff]), ': is not UTF-8'],
  ])('%s in app.toml', (_name, toml, problem) => {
    writeFileSync(file, toml)
    const problems = problemsOf()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`${file}${problem}`)
  })

  test('an app.toml that cannot be read', () => {
    mkdirSync(file)
    expect(problemsOf()).toEqual([expect.stringContaining(`${file}: cannot be read`)])
  })

  test('a byte order mark is not a problem', () => {
    writeFileSync(file, '\uFEFFdev = false\n')
    expect(load().config.dev).toBe(false)
  })

  test('all are reported at once, also those that another layer hides', () => {
    writeFileSync(file, 'dev = 1\nhome = ""\nnope = 1\n[json-rpc]\nrate-limit = 5\nrate-limit-burst = 0\n')
    const problems = problemsOf({
      flags: ['here', '--dev', '--dev', '--jsonrpc', 'x', '--json-rpc.address', ':1', '--ipc-path'],
      env: { PERIHELION_DEV: 'yes', PERIHELION_X: '1', PERIHELION_LOG_LEVEL: 'loud' },
    })
    expect(
      problems.map((problem) => problem.replace(file, 'app.toml').replace(/: (got|unknown|has|given).*/, '')),
    ).toEqual([
      'argument 3: not a flag; flags are given as --name value',
      '--dev',
      '--jsonrpc',
      '--ipc-path',
      '--json-rpc.address',
      'PERIHELION_X',
      'PERIHELION_DEV',
      'PERIHELION_LOG_LEVEL',
      'app.toml:1: dev',
      'app.toml:2: home cannot stand in this file; use --home or PERIHELION_HOME',
      'app.toml:3: nope',
      'json-rpc.rate-limit-burst',
    ])
    expect(() => load({ flags: ['a', 'b'] })).toThrow(
      'argument 3: not a flag; flags are given as --name value\nargument 4: not',
    )
  })
})
