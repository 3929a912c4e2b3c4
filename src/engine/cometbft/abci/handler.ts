import type { AppHead } from '../../../app/application.ts'
import { prepareProposal } from '../../../app/proposal/proposal.ts'
import { nextRules } from '../../../app/proposal/rules.ts'
import { toHex } from '../../../base/hex.ts'
import { clientVersion } from '../../../base/version.ts'
import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import type { Validator } from '../../../chain/validators/validators.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { PoolIntake } from '../../../pool/admission/intake.ts'
import { poolHeadOf } from '../../../pool/head.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { EngineApplication, EngineProducer } from '../../application.ts'
import { createSnapshotCalls, type SnapshotCallDependencies } from '../snapshots/calls.ts'
import { checkTx } from './checkTx.ts'
import { initFault } from './initFault.ts'
import type { AbciHandler } from './messages.ts'

export interface AbciOptions {
  readonly config: ChainConfig
  readonly validators: readonly Validator[]
}

export interface AbciDependencies extends SnapshotCallDependencies {
  readonly app: EngineApplication
  readonly pool: TransactionPool
  readonly intake: PoolIntake
  readonly head: () => AppHead
  readonly genesisHash: () => Uint8Array
  /** The validators as the contract has them in the first block's state. */
  readonly genesisSet: () => readonly Validator[]
  readonly producer: Pick<EngineProducer, 'coinbase' | 'select'>
  /** A block is committed: everybody reads from it on. */
  readonly onHead: (head: AppHead) => void
  /** The engine holds this transaction. */
  readonly onCarried: (id: string) => void
  /** The engine may forget its blocks below; zero: it keeps all. */
  readonly retainHeight: () => bigint
  readonly query: AbciHandler['query']
}

const accept = 1
const reject = 2

/** Whole seconds; the engine's are finer than a header can say. */
const secondsOf = (time: { readonly seconds: bigint } | undefined): bigint => time?.seconds ?? 0n

/** The application as CometBFT sees it. Only `commit` leaves a trace. */
export const createAbciHandler = (
  { config, validators }: AbciOptions,
  dependencies: AbciDependencies,
): AbciHandler => {
  const { app, pool, intake, producer, head, onHead, snapshots, onCarried, retainHeight, query, log } =
    dependencies
  const heightOf = (): bigint => head().header.number

  return {
    info: () => ({
      data: 'perihelion',
      version: clientVersion,
      appVersion: 0n,
      lastBlockHeight: heightOf(),
      // Before its first block the engine asks for none.
      lastBlockAppHash: heightOf() === 0n ? new Uint8Array(0) : head().hash,
    }),

    initChain: (request) => {
      if (heightOf() !== 0n) throw new Error(`the engine begins at block 1, this home is at ${heightOf()}`)
      const inContract = dependencies.genesisSet()
      const fault = initFault(request, { config, configured: validators, inContract })
      if (fault !== undefined) throw new Error(fault)
      return { appHash: dependencies.genesisHash(), validators: [] }
    },

    checkTx: async ({ tx, kind }) => {
      const result = await checkTx(tx, kind === 1, { pool, intake })
      if (result.code !== 0) return { code: result.code, log: result.log, codespace: 'sdk' }
      onCarried(toHex(result.hash))
      return { code: 0, gasWanted: result.gasWanted }
    },

    prepareProposal: ({ height, time, maxTxBytes }) => ({
      txs: prepareProposal(
        {
          height,
          reward: producer.coinbase,
          gasLimit: nextRules(config, head().header, secondsOf(time)).gasLimit,
          maxBytes: Number(maxTxBytes),
        },
        producer.select(),
      ),
    }),

    processProposal: async ({ height, time, txs }) => {
      const reason = await app.processProposal({
        height: Number(height),
        time: secondsOf(time),
        entries: txs,
      })
      if (reason !== undefined) log.warn({ height: Number(height), reason }, 'a proposal is refused')
      return { status: reason === undefined ? accept : reject }
    },

    finalizeBlock: ({ height, time, hash, txs }) =>
      app.finalizeDecided({ height: Number(height), time: secondsOf(time), engineHash: hash, entries: txs }),

    commit: async () => {
      const committed = await app.commitDecided()
      onHead(committed)
      snapshots.onCommitted(Number(committed.header.number))
      pool.onHead(poolHeadOf(config, committed.header, Math.floor(Date.now() / 1000)), committed)
      return { retainHeight: retainHeight() }
    },

    query,

    // Vote extensions are off in the genesis that we write; an engine that has them on anyway gets empty ones.
    extendVote: () => ({ voteExtension: new Uint8Array(0) }),
    verifyVoteExtension: ({ voteExtension }) => ({ status: voteExtension.length === 0 ? accept : reject }),

    ...createSnapshotCalls(dependencies),
  }
}

/** A transaction of the pool as the engine carries it; undefined for one that is not there or not executable. */
export const nativeOfPool =
  (pool: TransactionPool) =>
  (id: string): Uint8Array | undefined => {
    const found = pool.get(Buffer.from(id.slice(2), 'hex'))
    if (found === undefined || !pool.isPending(found)) return undefined
    return wrapTransaction(
      { transaction: found.transaction, raw: found.raw, from: found.sender },
      perihelionDialect,
    )
  }
