import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { testNetwork } from './describeNetwork.ts'
import { callHome, createHomes, HomeProcess, headOf, reach } from './homeProcess.ts'

const modeOf = (home: string): unknown => JSON.parse(readFileSync(join(home, 'mode.json'), 'utf8'))

testNetwork(
  'a validator’s home starts as a validator without a flag, and its tips go where the contract says',
  { ...slow, timeout: 120_000 },
  async () => {
    const homes = createHomes(1, 200)
    const [home = ''] = homes.homes
    // As an operator who gives flags to the first start alone.
    const file = join(home, 'config', 'app.toml')
    const settings = readFileSync(file, 'utf8')
      .replace('engine = "cometbft"', 'engine = "solo"')
      .replace(/^genesis = .*$/m, 'genesis = ""')
      .replace(/^coinbase = .*$/m, 'coinbase = ""')
    writeFileSync(file, settings)
    const { config } = JSON.parse(readFileSync(homes.genesis, 'utf8')) as {
      readonly config: {
        readonly perihelion: { readonly validators: readonly { readonly reward: string }[] }
      }
    }
    const reward = config.perihelion.validators[0]?.reward
    try {
      const first = new HomeProcess(home, { args: ['--engine=cometbft', '--genesis', homes.genesis] })
      await first.ready()
      await reach(first, 2)
      await first.stop()
      expect(modeOf(home)).toMatchObject({ engine: 'cometbft', dev: false, chainId: '31337' })
      const plain = new HomeProcess(home)
      await plain.ready()
      expect(await callHome(plain, 'eth_accounts')).toEqual([])
      expect(await callHome(plain, 'eth_coinbase')).toBe(reward)
      await reach(plain, (await headOf(plain)) + 2)
      expect(await callHome(plain, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ miner: reward })
      await plain.stop()
      for (const flag of ['--engine=solo', '--dev', '--accounts=3', '--chain-id=5']) {
        const refused = runProgram(['start', ...isolatedFlags(home), '--log.level=silent', flag])
        expect(await refused.ended()).toBe(78)
        expect(refused.stderr()).toMatch(/^perihelion: [^\n]*\n$/)
      }
    } finally {
      await homes.remove()
    }
  },
)

testNetwork('a validator whose tips would go to nobody does not start', { timeout: 120_000 }, async () => {
  const folder = temporaryHome()
  const home = join(folder, 'home')
  const comet = process.env.PERIHELION_COMETBFT ?? ''
  const flags = [...isolatedFlags(home), '--cometbft', comet, '--log.level=silent']
  const ports = [
    ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
    ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
  ]
  try {
    const made = runProgram(['init', '--home', home, '--engine=cometbft', ...ports])
    expect(await made.ended()).toBe(0)
    const identity = runProgram(['network', 'id', '--home', home, '--json'])
    await identity.ended()
    const { validatorKey } = JSON.parse(identity.stdout()) as { readonly validatorKey: string }
    const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
    const blocks = [...forks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])
    const genesis = join(folder, 'genesis.json')
    const validators = [{ pubkey: validatorKey, power: 10, reward: `0x${'00'.repeat(20)}` }]
    const config = {
      chainId: 7,
      ...Object.fromEntries(blocks),
      ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, perihelion: { validators } },
    }
    writeFileSync(genesis, JSON.stringify({ config, gasLimit: '0x1c9c380', alloc: {} }))
    const refused = runProgram(['start', ...flags, '--genesis', genesis])
    expect(await refused.ended()).toBe(78)
    expect(refused.stderr()).toMatch(
      /^perihelion: coinbase: none is set, [^\n]* name one with --coinbase[^\n]*\n$/,
    )
    const coinbase = `0x${'aa'.repeat(20)}`
    const started = runProgram(['start', ...flags, `--coinbase=${coinbase}`])
    const { chain } = await started.ready()
    expect(chain).toBe('7')
    started.child.kill('SIGTERM')
    expect(await started.ended()).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
