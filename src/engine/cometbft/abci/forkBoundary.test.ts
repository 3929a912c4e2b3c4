import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deposits, withDepositContract } from '../../../../test/support/depositContract.ts'
import { createForkGenesis } from '../../../../test/support/forkGenesis.ts'
import {
  addressOf,
  createCandidate,
  signCandidate,
  testChainId,
} from '../../../../test/support/signedCandidates.ts'
import { Application } from '../../../app/application.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { createLogger } from '../../../base/logging/log.ts'
import type { Fork } from '../../../chain/config/forks.ts'
import type { LiveChainConfig } from '../../../chain/config/liveConfig.ts'
import type { Genesis } from '../../../chain/genesis/genesis.ts'
import { signAuthorization } from '../../../chain/transaction/signature.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { createEvm } from '../../../evm/evm.ts'
import { loadEvmModules } from '../../../evm/host/evmModules.ts'
import { precompilesAt } from '../../../evm/precompiles/precompileTable.ts'
import { TransactionSubmitter } from '../../../pool/admission/transactionSubmitter.ts'
import { createPoolState, toPoolHead } from '../../../pool/head.ts'
import { TransactionPool } from '../../../pool/pool.ts'
import { SenderRecovery } from '../../../pool/recovery/senderRecovery.ts'
import { defaultPoolSettings, type PoolHead } from '../../../pool/types.ts'
import { StateStore } from '../../../state/stateStore.ts'
import { BlockStore } from '../../../store/blockStore.ts'
import type { EngineProducer } from '../../application.ts'
import { createFinalizeService } from '../application/decided.ts'
import { createAbciHandler } from './handler.ts'
import type { AbciHandler } from './messages.ts'

const modules = await loadEvmModules()
const genesisTime = 1_000n
const forkTime = 2_000
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** The clock of all nodes, in seconds. */
const clock = { now: 0 }

beforeEach(() => {
  clock.now = Number(genesisTime)
})

interface Validator {
  readonly handler: AbciHandler
  readonly pool: TransactionPool
  readonly config: LiveChainConfig
  /** The reasons for which the node was told to stop. */
  readonly stopped: readonly string[]
  submit(candidate: RecoveredTransaction): Promise<string | undefined>
  /** Has the node stopped and started: its pool begins again from what was in it. */
  restart(): Promise<void>
}

/** The handlers of one validator over a real application and pool, with a clock of the test. */
const openValidator = async (
  fork: Fork,
  later: Readonly<Record<string, number>>,
  change: (genesis: Genesis) => Genesis = (genesis) => genesis,
): Promise<Validator> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-fork-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  const state = new StateStore(environment)
  const genesis = change(
    createForkGenesis(
      {
        chainId: testChainId,
        accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
        coinbase: new Uint8Array(20),
        timestamp: genesisTime,
      },
      fork,
      later,
    ),
  )
  const { config } = genesis
  const app = new Application(config, {
    environment,
    state,
    blocks: new BlockStore(environment),
    evm: createEvm(modules, precompilesAt),
  })
  await app.initChain(genesis)
  const head = () => {
    if (app.head === undefined) throw new Error('no head')
    return app.head
  }
  const poolHead = (): PoolHead => toPoolHead(config, head().header, () => clock.now)
  const recovery = new SenderRecovery()
  closers.push(async () => {
    await recovery.close()
    await environment.close()
    rmSync(folder, { recursive: true })
  })
  const service = createFinalizeService(app)
  const stopped: string[] = []
  const open = () => {
    const pool = new TransactionPool(defaultPoolSettings, {
      state: createPoolState(() => state.reader(Number(head().header.number))),
      head: poolHead(),
      blobs: { accepted: false, rejection: 'none' },
      now: () => 0,
      onListenerError: (error) => expect.fail(String(error)),
    })
    const intake = new TransactionSubmitter({ pool, recovery, journal: undefined, onJournalError: () => {} })
    const producer: Pick<EngineProducer, 'select'> = {
      select: () =>
        pool.select({
          baseFee: pool.head.baseFee,
          blobBaseFee: 0n,
          minTip: 0n,
          gasLimit: pool.head.gasLimit,
          maxBytes: 8_000_000,
          maxBlobs: 0,
        }),
    }
    const unused = (): never => {
      throw new Error('not part of this test')
    }
    const handler = createAbciHandler(
      { config: app.config, validators: [] },
      {
        app: {
          processProposal: async (proposal) => service.processProposal(proposal),
          finalizeDecided: async (decided) => service.finalizeDecided(decided),
          commitDecided: async () => {
            const { included, rejected, changed } = await service.commitDecided()
            return { ...head(), included, rejected, changed }
          },
          offerSnapshot: unused,
          applyChunk: unused,
        },
        pool,
        intake,
        head,
        poolHead,
        genesisHash: unused,
        genesisValidators: unused,
        producer,
        reward: { forProposer: () => addressOf(9) },
        onVotes: () => {},
        onHead: () => {},
        relay: {
          markInMempool: () => {},
          returnFromMempool: () => {},
          takeDropped: () => false,
          onHead: () => {},
        },
        onUnknownFork: (reason) => stopped.push(reason),
        onLowSpace: (reason) => stopped.push(reason),
        signatures: undefined,
        onForeignSignature: unused,
        retainHeight: () => 0n,
        query: unused,
        snapshots: { list: unused, chunk: unused, onCommitted: () => {} },
        onSnapshotRestored: unused,
        log: createLogger('silent'),
      },
    )
    return { pool, intake, handler }
  }
  let opened = open()
  return {
    config: app.config,
    stopped,
    get handler() {
      return opened.handler
    },
    get pool() {
      return opened.pool
    },
    submit: async ({ raw }) => (await opened.intake.submit(raw, false)).rejection?.message,
    restart: async () => {
      const before = [...opened.pool.transactions()]
      opened = open()
      for (const { raw } of before) await opened.intake.submit(raw, false)
    },
  }
}

/** Has one validator propose at the engine's time, and the others vote. Returns the transactions of the block. */
const decide = async (
  [proposer, ...others]: readonly [Validator, ...Validator[]],
  height: number,
  time: number,
): Promise<number> => {
  const at = { height: BigInt(height), time: { seconds: BigInt(time), nanos: 0 } }
  const { txs } = (await proposer.handler.prepareProposal({ ...at, maxTxBytes: 1_000_000n } as never)) as {
    readonly txs: Uint8Array[]
  }
  for (const { handler } of [proposer, ...others]) {
    const { status } = (await handler.processProposal({ ...at, txs } as never)) as { readonly status: number }
    if (status !== 1) throw new Error(`the proposal of height ${height} is refused`)
  }
  for (const { handler } of [proposer, ...others]) {
    await handler.finalizeBlock({ ...at, txs, hash: new Uint8Array(32).fill(height) } as never)
    await handler.commit({} as never)
  }
  return txs.length - 1
}

const setCode = signCandidate(0, {
  type: 4,
  chainId: testChainId,
  nonce: 0n,
  maxPriorityFeePerGas: 10n ** 9n,
  maxFeePerGas: 10n ** 10n,
  gasLimit: 100_000n,
  to: addressOf(5),
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  authorizations: [
    signAuthorization({ chainId: testChainId, address: addressOf(6), nonce: 0n }, new Uint8Array(32).fill(8)),
  ],
})

describe('the boundary of a fork', () => {
  it('does not stop a network that was down when the fork began', async () => {
    const validators = [
      await openValidator('cancun', { pragueTime: forkTime }),
      await openValidator('cancun', { pragueTime: forkTime }),
    ] as const
    clock.now = 1_500
    await decide(validators, 1, 1_500)
    // Both stop, and one starts after the fork's time. The engine's next block still has the time of the last votes.
    clock.now = 3_000
    await validators[0].restart()
    expect(await validators[0].submit(setCode)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(1, 0n))).toBeUndefined()
    expect(await decide(validators, 2, 1_501)).toBe(1)
    expect(await decide(validators, 3, 1_501)).toBe(0)
    expect(validators[0].pool.get(setCode.hash)).toBeDefined()
    // The votes of now: the block is past the fork.
    expect(await decide(validators, 4, 3_000)).toBe(1)
    expect(validators[0].pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('drops what a fork forbids, and what came before it at the old rules does not stop the chain', async () => {
    const validators = [
      await openValidator('prague', { osakaTime: forkTime }),
      await openValidator('prague', { osakaTime: forkTime }),
    ] as const
    clock.now = 1_999
    const heavy = createCandidate(0, 0n, { gasLimit: 20_000_000n })
    expect(await validators[0].submit(heavy)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(0, 1n))).toBeUndefined()
    // The engine's clock is ahead of this node's.
    expect(await decide(validators, 1, forkTime)).toBe(0)
    expect(validators[0].pool.get(heavy.hash)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(0, 0n))).toBeUndefined()
    expect(await decide(validators, 2, forkTime)).toBe(2)
  })

  it('is followed by a pool that no head reaches', async () => {
    const validator = await openValidator('prague', { osakaTime: forkTime })
    clock.now = 1_999
    const heavy = createCandidate(0, 0n, { gasLimit: 20_000_000n })
    expect(await validator.submit(heavy)).toBeUndefined()
    clock.now = forkTime
    expect(await validator.submit(createCandidate(1, 0n, { gasLimit: 20_000_000n }))).toMatch(
      /^transaction gas limit too high/,
    )
    expect(validator.pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('stops a node before a fork that it does not know, and lets the engine have no answer', async () => {
    const validator = await openValidator('prague', {})
    const known = validator.config.activations.flatMap(({ name, by, at }) =>
      by === 'time' ? [{ name, time: at, version: '' }] : [],
    )
    validator.config.follow([...known, { name: 'amsterdam', time: 2_000n, version: '9.8.7' }])
    expect(await decide([validator], 1, 1_999)).toBe(0)
    let answers = 0
    const calls = ['prepareProposal', 'processProposal', 'finalizeBlock'] as const
    for (const name of calls) {
      const request = { height: 2n, time: { seconds: 2_000n, nanos: 0 }, txs: [], maxTxBytes: 1_000_000n }
      const handle = validator.handler[name] as (request: unknown) => Promise<unknown>
      void handle(request).finally(() => answers++)
      await expect.poll(() => validator.stopped.length).toBe(calls.indexOf(name) + 1)
    }
    expect(answers).toBe(0)
    expect(validator.stopped[0]).toMatch(/^this node stops here: the fork amsterdam, at time 2000, .*9\.8\.7/)
  })
})

describe('a decided transaction that execution excludes', () => {
  it('leaves the pools of all nodes, and is not proposed again', async () => {
    const validators = [
      await openValidator('prague', {}, withDepositContract),
      await openValidator('prague', {}, withDepositContract),
    ] as const
    clock.now = 1_500
    const bad = createCandidate(0, 0n, { to: deposits, gasLimit: 100_000n })
    const behind = createCandidate(0, 1n)
    for (const { submit } of validators) {
      expect(await submit(bad)).toBeUndefined()
      expect(await submit(behind)).toBeUndefined()
    }
    expect(await decide(validators, 1, 1_500)).toBe(2)
    for (const { pool } of validators) {
      expect(pool.get(bad.hash)).toBeUndefined()
      // What only lacks its nonce waits for another that has it.
      expect(pool.counts).toEqual({ pending: 0, queued: 1 })
    }
    expect(await decide(validators, 2, 1_501)).toBe(0)
    expect(await validators[0].submit(createCandidate(0, 0n))).toBeUndefined()
    expect(await decide(validators, 3, 1_502)).toBe(2)
  })
})
