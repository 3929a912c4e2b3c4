import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, encodeFunctionData } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createForkGenesis } from '../../test/support/forkGenesis.ts'
import { proposeEntries } from '../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../test/support/signedCandidates.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { type Header, headerHash } from '../chain/block/header.ts'
import { forkOfHeader } from '../chain/config/chainConfig.ts'
import { currentSource } from '../chain/config/liveConfig.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { scheduleContractAddress } from '../chain/validators/schedule.ts'
import { toValidatorConfigJson } from '../chain/validators/validatorConfig.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { StateStore } from '../state/stateStore.ts'
import { BlockStore } from '../store/blockStore.ts'
import { Application } from './application.ts'
import { ChainImporter } from './import/block.ts'

const { abi } = JSON.parse(
  readFileSync(new URL('../../docs/forkSchedule.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi }
const modules = await loadEvmModules()
const admin = 0
const genesis = createForkGenesis(
  {
    chainId: testChainId,
    accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
    coinbase: new Uint8Array(20),
    timestamp: 100n,
    validators: toValidatorConfigJson({
      validators: [{ publicKey: new Uint8Array(32).fill(9), power: 1n, reward: addressOf(9) }],
      admin: addressOf(admin),
    }),
  },
  'prague',
  {},
)

let folder: string
const opened: LmdbEnvironment[] = []
/** Two nodes of the chain. */
let apps: Application[]

const open = (name: string): Application => {
  const environment = new LmdbEnvironment({ path: join(folder, name) })
  opened.push(environment)
  return new Application(genesis.config, {
    environment,
    state: new StateStore(environment),
    blocks: new BlockStore(environment),
    evm: createEvm(modules, precompilesAt),
  })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-schedule-'))
  apps = [open('one.mdb'), open('two.mdb')]
  for (const app of apps) await app.initChain(genesis)
})

afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close()
  rmSync(folder, { recursive: true })
})

/** Decides a block on both nodes; returns the status of each transaction and whether the nodes agree. */
const decide = async (time: bigint, candidates: readonly RecoveredTransaction[] = []): Promise<string[]> => {
  const [first] = apps as [Application, Application]
  const height = Number(first.head?.header.number) + 1
  const entries = proposeEntries(first, candidates, { time })
  const hashes = new Set<string>()
  let logs: string[] = []
  for (const app of apps) {
    expect(app.processProposal({ height, time, entries })).toMatchObject({ accepted: true })
    const { hash, results } = app.finalizeDecided({ height, time, engineHash: new Uint8Array(32), entries })
    hashes.add(toHex(hash))
    logs = results.slice(1).map(({ code, log }) => (code === 0 ? 'ok' : log))
    await app.commit()
  }
  expect(hashes.size).toBe(1)
  return logs
}

const nonces = new Map<number, bigint>()
beforeEach(() => nonces.clear())

const call = (functionName: string, args: readonly unknown[], sender = admin): RecoveredTransaction => {
  const nonce = nonces.get(sender) ?? 0n
  nonces.set(sender, nonce + 1n)
  return createCandidate(sender, nonce, {
    to: scheduleContractAddress,
    value: 0n,
    gasLimit: 300_000n,
    data: fromHex(encodeFunctionData({ abi, functionName, args })),
  })
}

const forkNow = (): string => {
  const header = apps[0]?.head?.header
  if (header === undefined) throw new Error('no head')
  return forkOfHeader((apps[0] as Application).config, header)
}

const scheduled = () =>
  (apps[0] as Application).config.activations.flatMap(({ name, by, at }) =>
    by === 'time' ? [[name, at] as const] : [],
  )

const began = [
  ['shanghai', 0n],
  ['cancun', 0n],
  ['prague', 0n],
  ['fullBlocks', 0n],
] as const

describe('the schedule of a chain with validators', () => {
  it('begins with the forks of its genesis', () => {
    expect(scheduled()).toEqual(began)
    expect(apps[0]?.config.unknownForks).toEqual([])
  })

  it('is changed by its admin, for a time ahead, and every node follows', async () => {
    expect(await decide(105n, [call('schedule', ['osaka', 200n, ''])])).toEqual(['ok'])
    expect(scheduled()).toEqual([...began, ['osaka', 200n]])
    expect(currentSource((apps[0] as Application).config)).toMatchObject({ pragueTime: 0, osakaTime: 200 })
    expect(forkNow()).toBe('prague')
    await decide(199n)
    expect(forkNow()).toBe('prague')
    await decide(200n)
    expect(forkNow()).toBe('osaka')
    // A node that starts again has the same rules.
    await opened[1]?.close()
    opened.splice(1, 1)
    apps[1] = open('two.mdb')
    expect(apps[1]?.config.activations).toEqual(apps[0]?.config.activations)
    await decide(201n)
  })

  it('can be moved and reverted as long as it is ahead', async () => {
    await decide(105n, [call('schedule', ['osaka', 200n, ''])])
    expect(await decide(106n, [call('schedule', ['osaka', 300n, ''])])).toEqual(['ok'])
    await decide(200n)
    expect(forkNow()).toBe('prague')
    expect(await decide(201n, [call('cancel', ['osaka'])])).toEqual(['ok'])
    expect(scheduled()).toEqual(began)
    await decide(300n)
    expect(forkNow()).toBe('prague')
  })

  it('is changed by nobody else, for no past, out of no order, and not for what is in force', async () => {
    const refused = [
      call('schedule', ['osaka', 200n, ''], 1),
      call('schedule', ['osaka', 105n, '']),
      call('schedule', ['prague', 200n, '']),
      call('schedule', ['', 200n, '']),
      call('schedule', ['osaka<script>', 200n, '']),
      call('cancel', ['prague']),
      call('cancel', ['osaka']),
    ]
    const logs = await decide(105n, refused)
    expect(logs).toHaveLength(refused.length)
    expect(logs.every((log) => log.includes('revert'))).toBe(true)
    expect(scheduled()).toEqual(began)
    const [, outOfOrder] = await decide(106n, [
      call('schedule', ['osaka', 300n, '']),
      call('schedule', ['amsterdam', 299n, '']),
    ])
    expect(outOfOrder).toContain('revert')
  })

  it('stops a node before a fork that it does not know, and says what to install', async () => {
    await decide(105n, [
      call('schedule', ['osaka', 150n, '']),
      call('schedule', ['amsterdam', 200n, '9.8.7']),
    ])
    const [app] = apps as [Application]
    expect(app.config.unknownForks).toEqual([{ name: 'amsterdam', time: 200n, version: '9.8.7' }])
    await decide(199n)
    expect(forkNow()).toBe('osaka')
    const next = { height: 3, time: 200n, entries: [], engineHash: new Uint8Array(32) }
    expect(() => app.processProposal(next)).toThrow(
      /^this node stops here: the fork amsterdam, at time 200, is not known to version .*: install version 9\.8\.7 or later$/,
    )
    expect(() => app.finalizeDecided(next)).toThrow('9.8.7')
    // Cancelled in time, it stops nobody.
    await decide(199n, [call('cancel', ['amsterdam'])])
    await decide(200n)
    expect(forkNow()).toBe('osaka')
  })

  it('goes on over a fork that cannot be applied, and takes those after it', async () => {
    await decide(105n, [call('schedule', ['bpo1', 150n, '']), call('schedule', ['osaka', 200n, ''])])
    expect(apps.map(({ config }) => config.inapplicableForks.map(({ name }) => name))).toEqual([
      ['bpo1'],
      ['bpo1'],
    ])
    await decide(150n)
    expect(forkNow()).toBe('prague')
    await decide(200n)
    expect(forkNow()).toBe('osaka')
  })

  it('stops an import before a fork that it does not know; what is before it is written', async () => {
    const scheduling = call('schedule', ['amsterdam', 200n, '9.8.7'])
    const entries = proposeEntries(apps[0] as Application, [scheduling], { time: 105n })
    const { header } = (apps[0] as Application).finalizeDecided({
      height: 1,
      time: 105n,
      engineHash: new Uint8Array(32),
      entries,
    })
    const environment = opened[1] as LmdbEnvironment
    const importer = new ChainImporter(genesis.config, {
      environment,
      state: new StateStore(environment),
      blocks: new BlockStore(environment),
      evm: createEvm(modules, precompilesAt),
    })
    const blockOf = (block: Header, candidates: readonly RecoveredTransaction[]) => ({
      header: block,
      transactions: candidates,
      candidates,
      ommers: [],
      withdrawals: [],
      size: 1_000,
    })
    const beyond = { ...header, number: 2n, timestamp: 200n, parentHash: headerHash(header) }
    await expect(importer.importBlocks([blockOf(header, [scheduling]), blockOf(beyond, [])])).rejects.toThrow(
      /^this node stops here: the fork amsterdam, .*9\.8\.7/,
    )
    expect(importer.head.header.number).toBe(1n)
    expect(new BlockStore(environment).head()?.number).toBe(1)
  })
})
