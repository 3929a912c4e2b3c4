import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lockValidatorKey } from '../../src/engine/cometbft/signing/keyLock.ts'
import { type EngineKey, generateKey, parseEngineKeyFile } from '../../src/engine/cometbft/signing/keys.ts'
import { createNode } from '../../src/index.ts'
import { homeChecks, nodeChecks } from '../../src/service/start/startChecks.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, runProgram, runToEnd } from '../support/program.ts'
import { recordOf, voteLogOf } from '../support/signedVotes.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Every check of a start refuses it, and is a problem for the doctor, in the same words. */

interface Broken {
  readonly home: string
  /** A path below the home. */
  readonly at: (...names: readonly string[]) => string
}

interface Refusal {
  /** The check that finds it. */
  readonly check: string
  readonly code: number
  readonly said: string
  /** Breaks a home of CometBFT; returns further flags, and what has to be undone. */
  readonly breakHome: (broken: Broken) =>
    | Promise<{
        readonly flags?: readonly string[]
        readonly undo?: () => Promise<void>
        /** Whether the start is told no genesis. */
        readonly withoutGenesis?: boolean
      }>
    | undefined
}

const key = (at: Broken['at']): string => at('engine', 'config', 'priv_validator_key.json')
const record = (at: Broken['at']): string => at('engine', 'data', 'priv_validator_state.json')
const keyIn = (at: Broken['at']): EngineKey => parseEngineKeyFile(readFileSync(key(at), 'utf8'))
const only = (act: (broken: Broken) => void): Refusal['breakHome'] => {
  return (broken) => {
    act(broken)
    return undefined
  }
}

/** Begins a chain of this process in the place of the home. */
const beginChain = async ({ home }: Broken, ...flags: readonly string[]): Promise<void> => {
  rmSync(home, { recursive: true })
  expect(await runToEnd(['start', ...isolatedFlags(home), ...flags])).toMatchObject({ code: 0 })
}
const breakGenesis = (at: Broken['at']): void => {
  mkdirSync(at('config'), { recursive: true })
  writeFileSync(at('config', 'genesis.json'), '{')
}

const refusals: Readonly<Record<string, Refusal>> = {
  'a home that many share': {
    check: 'home',
    code: 74,
    said: 'it is open to others',
    breakHome: only(({ home }) => chmodSync(home, 0o1777)),
  },
  'a token secret that others can read': {
    check: 'token',
    code: 74,
    said: 'chmod 600',
    breakHome: only(({ at }) => chmodSync(at('jwt.hex'), 0o644)),
  },
  'a token secret that is damaged': {
    check: 'token',
    code: 74,
    said: '64 hex digits',
    breakHome: only(({ at }) => writeFileSync(at('jwt.hex'), 'xy', { mode: 0o600 })),
  },
  'a keystore that is open to others': {
    check: 'keystore',
    code: 74,
    said: 'keystore is open to others: run chmod 700 on it',
    breakHome: only(({ at }) => {
      mkdirSync(at('keystore'))
      chmodSync(at('keystore'), 0o755)
    }),
  },
  'a keystore that is a link': {
    check: 'keystore',
    code: 74,
    said: 'keystore is not a folder',
    breakHome: only(({ at, home }) => symlinkSync(home, at('keystore'))),
  },
  'a file of API keys that is missing': {
    check: 'access',
    code: 74,
    said: 'keys.toml',
    breakHome: async ({ at }) => ({ flags: [`--json-rpc.keys=${at('keys.toml')}`] }),
  },
  'settings that keep less history than there is': {
    check: 'history',
    code: 78,
    said: 'pruning = everything removes the states of blocks 0 to 290',
    breakHome: async ({ at }) => {
      const folder = temporaryHome()
      const node = await createNode({ home: folder, listen: false })
      await node.provider.request({ method: 'hardhat_mine', params: ['0x12c'] })
      await node.close()
      mkdirSync(at('data'), { recursive: true })
      cpSync(join(folder, 'data', 'chain.mdb'), at('data', 'chain.mdb'))
      rmSync(folder, { recursive: true })
      return { flags: ['--pruning=everything'] }
    },
  },
  'a genesis that is missing': {
    check: 'genesis',
    code: 74,
    said: 'the genesis file cannot be read',
    breakHome: async ({ at }) => ({ flags: [`--genesis=${at('none.json')}`] }),
  },
  'a genesis without validators': {
    check: 'genesis',
    code: 74,
    said: 'the genesis names no validators',
    breakHome: async ({ at }) => {
      const genesis = JSON.parse(readFileSync(at('..', 'genesis.json'), 'utf8'))
      delete genesis.config.perihelion
      writeFileSync(at('none.json'), JSON.stringify(genesis))
      return { flags: [`--genesis=${at('none.json')}`] }
    },
  },
  'a genesis that lacks a contract': {
    check: 'genesis',
    code: 78,
    said: 'the contract of EIP-7002 is missing',
    breakHome: async ({ at }) => {
      const genesis = JSON.parse(readFileSync(at('..', 'genesis.json'), 'utf8'))
      writeFileSync(at('none.json'), JSON.stringify({ ...genesis, alloc: {} }))
      return { flags: [`--genesis=${at('none.json')}`] }
    },
  },
  'a genesis of the home that is damaged': {
    check: 'genesis',
    code: 74,
    said: 'copy the file again from a node of the network, or from a backup',
    breakHome: async ({ home, at }) => {
      rmSync(home, { recursive: true })
      breakGenesis(at)
      return { withoutGenesis: true }
    },
  },
  'a genesis of the home that is damaged after its chain was begun': {
    check: 'chain of the home',
    code: 74,
    said: 'copy the file again from a node of the network, or from a backup',
    breakHome: async (broken) => {
      await beginChain(broken, `--genesis=${broken.at('..', 'plain.json')}`)
      breakGenesis(broken.at)
      return { withoutGenesis: true }
    },
  },
  'another chain id than the chain of the home has': {
    check: 'chain of the home',
    code: 78,
    said: 'chain-id: got 77 (--chain-id), but the chain of this home has 31337',
    breakHome: async (broken) => {
      await beginChain(broken)
      return { flags: ['--chain-id=77'], withoutGenesis: true }
    },
  },
  'another genesis than the chain of the home began with': {
    check: 'chain of the home',
    code: 78,
    said: 'but the chain of this home began with block',
    breakHome: async (broken) => {
      await beginChain(broken)
      return { flags: [`--genesis=${broken.at('..', 'plain.json')}`] }
    },
  },
  "CometBFT's configuration that cannot be read": {
    check: 'engine',
    code: 74,
    said: 'config.toml cannot be read',
    breakHome: only(({ at }) => writeFileSync(at('engine', 'config', 'config.toml'), 'moniker = ')),
  },
  "CometBFT's configuration without empty blocks": {
    check: 'engine',
    code: 78,
    said: 'consensus.create_empty_blocks must be true',
    breakHome: only(({ at }) =>
      writeFileSync(at('engine', 'config', 'config.toml'), '[consensus]\ncreate_empty_blocks = false\n'),
    ),
  },
  'blocks of CometBFT that are gone': {
    check: 'blocks of the engine',
    code: 74,
    said: 'the blocks of CometBFT are gone (blockstore.db, state.db',
    breakHome: async ({ at }) => {
      const folder = temporaryHome()
      const chain = [`--genesis=${at('..', 'genesis.json')}`, '--engine=solo', '--block-time=50ms']
      const node = runProgram(['start', ...isolatedFlags(folder), ...chain])
      await node.ready()
      await eventually(() => node.stderr().includes('"msg":"block"'))
      node.child.kill('SIGTERM')
      await node.ended()
      cpSync(join(folder, 'data'), at('data'), { recursive: true })
      rmSync(folder, { recursive: true })
      return {}
    },
  },
  'a validator key that is missing': {
    check: 'validator key',
    code: 78,
    said: 'is missing, and this home had one',
    breakHome: only(({ at }) => rmSync(key(at))),
  },
  'a validator key that is damaged': {
    check: 'validator key',
    code: 74,
    said: 'priv_validator_key.json cannot be read',
    breakHome: only(({ at }) => writeFileSync(key(at), '{}')),
  },
  'a node key that is damaged': {
    check: 'node key',
    code: 74,
    said: 'node_key.json cannot be read',
    breakHome: only(({ at }) => writeFileSync(at('engine', 'config', 'node_key.json'), '{}')),
  },
  'a record of signatures that is missing': {
    check: 'signing record',
    code: 74,
    said: 'priv_validator_state.json is missing',
    breakHome: only(({ at }) => rmSync(record(at))),
  },
  'a record of signatures that is damaged': {
    check: 'signing record',
    code: 74,
    said: 'priv_validator_state.json cannot be read',
    breakHome: only(({ at }) => writeFileSync(record(at), '{"height":')),
  },
  'a record of signatures of another key': {
    check: 'signing record',
    code: 78,
    said: 'is of another key',
    breakHome: only(({ at }) => writeFileSync(record(at), JSON.stringify(recordOf(generateKey(), 9)))),
  },
  'a record of signatures that is older than the votes of the home': {
    check: 'signing record',
    code: 78,
    said: 'knows of nothing above block 8, and this home has signed in block 9',
    breakHome: only(({ at }) => {
      const own = keyIn(at)
      writeFileSync(record(at), JSON.stringify(recordOf(own, 8)))
      mkdirSync(at('engine', 'data', 'cs.wal'))
      writeFileSync(at('engine', 'data', 'cs.wal', 'wal'), voteLogOf(own, [8, 9]))
    }),
  },
  'a validator key that another process of the computer uses': {
    check: 'key in use',
    code: 75,
    said: 'another process of this computer signs with the key of this validator',
    breakHome: async ({ at }) => ({
      undo: await lockValidatorKey(keyIn(at)),
    }),
  },
}

interface Finding {
  readonly check: string
  readonly level: string
  readonly text: string
  readonly remedy?: string
}

/** The lock of a key and the modes of files are those of Linux. */
describe.runIf(process.platform === 'linux')('a start is refused for', slow, () => {
  let made: string
  let folder: string
  let home: string
  beforeAll(async () => {
    made = temporaryHome()
    home = join(made, 'node')
    const [genesis, id] = [join(made, 'genesis.json'), join(made, 'id.json')]
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runToEnd(args)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return stdout
    }
    await run('init', '--home', home, '--engine=cometbft', '--engine-p2p=127.0.0.1:0')
    writeFileSync(id, await run('network', 'id', '--home', home, '--json'))
    await run('genesis', 'new', genesis, '--chain-id=7')
    await run('genesis', 'add-validator', genesis, '--id', id, `--reward=0x${'1'.repeat(40)}`)
    await run('genesis', 'new', join(made, 'plain.json'), '--chain-id=31337')
  })
  afterAll(() => rmSync(made, { recursive: true, force: true }))
  beforeEach(() => {
    folder = temporaryHome()
    home = join(folder, 'node')
    cpSync(made, folder, { recursive: true })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const flagsFor = (flags: readonly string[] = [], withoutGenesis = false): readonly string[] => [
    ...isolatedFlags(home),
    // A start that nothing refuses ends there, with another exit code.
    '--cometbft=/bin/false',
    ...(withoutGenesis || flags.some((flag) => flag.startsWith('--genesis='))
      ? []
      : [`--genesis=${folder}/genesis.json`]),
    ...flags,
  ]

  const findings = async (flags: readonly string[]): Promise<readonly Finding[]> => {
    const program = runProgram(['doctor', '--json', ...flags])
    await program.ended()
    return JSON.parse(program.stdout())
  }

  test.each(Object.keys(refusals))('%s, and the doctor says so', async (name) => {
    const { check, code, said, breakHome } = refusals[name] as Refusal // a key of the table
    const at = (...names: readonly string[]): string => join(home, ...names)
    const { flags: own, undo, withoutGenesis } = (await breakHome({ home, at })) ?? {}
    const flags = flagsFor(own, withoutGenesis)
    try {
      const refused = await runToEnd(['start', ...flags])
      expect(refused).toMatchObject({ code, stderr: expect.stringContaining(said) })
      const found = (await findings(flags)).filter(({ level }) => level === 'problem')
      const finding = found.find((each) => each.check === check)
      expect(finding).toMatchObject({ remedy: expect.stringContaining(`exit code ${code}`) })
      expect(refused.stderr).toContain(finding?.text)
    } finally {
      await undo?.()
    }
  })

  test('nothing, where nothing is broken, as far as these checks go', async () => {
    const { stderr } = await runToEnd(['start', ...flagsFor()])
    expect(stderr).toContain('/bin/false')
    const found = await findings(flagsFor())
    expect(found).toContainEqual(expect.objectContaining({ check: 'start', level: 'ok' }))
  })

  test('whatever is a check: each has a case here', () => {
    const tried = new Set(Object.values(refusals).map(({ check }) => check))
    expect([...tried].sort()).toEqual([...homeChecks, ...nodeChecks].map(({ name }) => name).sort())
  })
})
