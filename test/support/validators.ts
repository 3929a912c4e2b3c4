import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect } from 'vitest'
import { Application } from '../../src/app/application.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { createLogger } from '../../src/base/logging/log.ts'
import type { Fork } from '../../src/chain/config/forks.ts'
import type { LiveChainConfig } from '../../src/chain/config/liveConfig.ts'
import type { DevGenesisOptions } from '../../src/chain/genesis/devGenesis.ts'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'
import type { Account } from '../../src/chain/state/evmState.ts'
import type { RecoveredTransaction } from '../../src/chain/transaction/transaction.ts'
import type { EngineProducer } from '../../src/engine/application.ts'
import { ResponseSchema } from '../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import { createAbciHandler } from '../../src/engine/cometbft/abci/handler.ts'
import type { AbciHandler } from '../../src/engine/cometbft/abci/messages.ts'
import { createFinalizeService } from '../../src/engine/cometbft/application/decided.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { TransactionSubmitter } from '../../src/pool/admission/transactionSubmitter.ts'
import { createPoolState, toPoolHead } from '../../src/pool/head.ts'
import { TransactionPool } from '../../src/pool/pool.ts'
import { SenderRecovery } from '../../src/pool/recovery/senderRecovery.ts'
import { defaultPoolSettings, type PoolHead } from '../../src/pool/types.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { createForkGenesis } from './forkGenesis.ts'
import { addressOf, testChainId } from './signedCandidates.ts'

const modules = await loadEvmModules()
const genesisTime = 1_000n
const closers: (() => Promise<void>)[] = []

/** The clock of all validators, in seconds. */
export const clock = { now: 0 }

/** Sets the clock before each test of a file and closes its validators after each. Files share this module, so each calls it. */
export const useValidators = (): void => {
  beforeEach(() => {
    clock.now = Number(genesisTime)
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
}

/** The handlers of one validator over a real application and pool. */
export interface Validator {
  readonly handler: AbciHandler
  readonly pool: TransactionPool
  readonly config: LiveChainConfig
  /** The reasons for which the node was told to stop. */
  readonly stopped: readonly string[]
  /** The blocks that were executed, with their responses. */
  readonly replayed: { readonly request: unknown; readonly response: unknown }[]
  /** Returns an account of the head's state. */
  state(address: Uint8Array): Account | undefined
  submit(candidate: RecoveredTransaction): Promise<string | undefined>
  /** Has the node stopped and started: its pool begins again from what was in it. */
  restart(): Promise<void>
}

/** Opens a validator, which is closed after the test. */
export const openValidator = async (
  fork: Fork,
  later: Readonly<Record<string, number>>,
  change: (genesis: Genesis) => Genesis = (genesis) => genesis,
  options: Partial<DevGenesisOptions> = {},
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
        ...options,
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
      select: (gasLimit = pool.head.gasLimit) =>
        pool.select({
          baseFee: pool.head.baseFee,
          blobBaseFee: 0n,
          minTip: 0n,
          gasLimit,
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
            return { ...(await service.commitDecided()), ...head() }
          },
          offerSnapshot: unused,
          applyChunk: unused,
        },
        pool,
        intake,
        state,
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
          takeRenewal: () => false,
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
    replayed: [],
    state: (address) => state.reader(Number(head().header.number)).account(address),
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

export interface DecidedByAll {
  /** The transactions of the proposal, without the proposer entry. */
  readonly natives: readonly Uint8Array[]
  /** The code of each of them. */
  readonly codes: readonly number[]
  readonly gasUsed: bigint
}

/** Has one validator propose at the engine's time, and the others vote and execute. */
export const decideBlock = async (
  [proposer, ...others]: readonly [Validator, ...Validator[]],
  height: number,
  time: number,
  maxTxBytes = 1_000_000n,
): Promise<DecidedByAll> => {
  const at = { height: BigInt(height), time: { seconds: BigInt(time), nanos: 0 } }
  const { txs } = (await proposer.handler.prepareProposal({ ...at, maxTxBytes } as never)) as {
    readonly txs: Uint8Array[]
  }
  for (const { handler } of [proposer, ...others]) {
    const { status } = (await handler.processProposal({ ...at, txs } as never)) as { readonly status: number }
    if (status !== 1) throw new Error(`the proposal of height ${height} is refused`)
  }
  const responses: Buffer[] = []
  const request = { ...at, txs, hash: new Uint8Array(32).fill(height) }
  for (const { handler, replayed } of [proposer, ...others]) {
    const response = await handler.finalizeBlock(request as never)
    replayed.push({ request, response })
    responses.push(Buffer.from(response as Uint8Array))
    await handler.commit({} as never)
  }
  const [response] = responses as [Buffer]
  if (!responses.every((one) => one.equals(response))) throw new Error(`block ${height} has two results`)
  const { value } = fromBinary(ResponseSchema, response)
  if (value.case !== 'finalizeBlock') throw new Error('another response')
  const [, ...results] = value.value.txResults
  return {
    natives: txs.slice(1),
    codes: results.map(({ code }) => code),
    gasUsed: results.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
  }
}

/** Does the same, and returns the number of transactions in the proposal. */
export const decide = async (...args: Parameters<typeof decideBlock>): Promise<number> =>
  (await decideBlock(...args)).natives.length
