import type { AppHead } from '../../../app/application.ts'
import { prepareProposal } from '../../../app/proposal/proposal.ts'
import { toProposalRules } from '../../../app/proposal/rules.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { clientVersion } from '../../../base/version.ts'
import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import type { Validator } from '../../../chain/validators/validators.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { TransactionSubmitter } from '../../../pool/admission/transactionSubmitter.ts'
import { toPoolHead } from '../../../pool/head.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { EngineApplication, EngineProducer } from '../../application.ts'
import { createSnapshotHandler, type SnapshotHandlerDependencies } from '../snapshots/handler.ts'
import { checkTx } from './checkTx.ts'
import { findInitChainMismatch } from './initChainCheck.ts'
import type { AbciHandler } from './messages.ts'

export interface AbciOptions {
  readonly config: ChainConfig
  readonly validators: readonly Validator[]
}

export interface AbciDependencies extends SnapshotHandlerDependencies {
  readonly app: EngineApplication
  readonly pool: TransactionPool
  readonly intake: TransactionSubmitter
  readonly head: () => AppHead
  readonly genesisHash: () => Uint8Array
  /** Returns the validators of the contract in the genesis state. */
  readonly genesisValidators: () => readonly Validator[]
  readonly producer: Pick<EngineProducer, 'coinbase' | 'select'>
  /** Called when a block is committed and becomes the head. */
  readonly onHead: (head: AppHead) => void
  /** Called when the engine's mempool holds a transaction. */
  readonly onMempoolAccepted: (id: string) => void
  /** Returns the height below which the engine may prune its blocks; zero if it keeps all. */
  readonly retainHeight: () => bigint
  readonly query: AbciHandler['query']
}

const accept = 1
const reject = 2

/** Returns whole seconds, because a header has no fractions. */
const toSeconds = (time: { readonly seconds: bigint } | undefined): bigint => time?.seconds ?? 0n

/** Creates the ABCI handler of the application. Only `commit` changes the chain. */
export const createAbciHandler = (
  { config, validators }: AbciOptions,
  dependencies: AbciDependencies,
): AbciHandler => {
  const {
    app,
    pool,
    intake,
    producer,
    head,
    onHead,
    snapshots,
    onMempoolAccepted,
    retainHeight,
    query,
    log,
  } = dependencies
  const heightOf = (): bigint => head().header.number

  return {
    info: () => ({
      data: 'perihelion',
      version: clientVersion,
      appVersion: 0n,
      lastBlockHeight: heightOf(),
      // Before the first block the engine expects an empty hash.
      lastBlockAppHash: heightOf() === 0n ? new Uint8Array(0) : head().hash,
    }),

    initChain: (request) => {
      if (heightOf() !== 0n) throw new Error(`the engine begins at block 1, this home is at ${heightOf()}`)
      const inContract = dependencies.genesisValidators()
      const mismatch = findInitChainMismatch(request, { config, configured: validators, inContract })
      if (mismatch !== undefined) throw new Error(mismatch)
      return { appHash: dependencies.genesisHash(), validators: [] }
    },

    checkTx: async ({ tx, kind }) => {
      const result = await checkTx(tx, kind === 1, { pool, intake })
      if (result.code !== 0) return { code: result.code, log: result.log, codespace: 'sdk' }
      onMempoolAccepted(toHex(result.hash))
      return { code: 0, gasWanted: result.gasWanted }
    },

    prepareProposal: ({ height, time, maxTxBytes }) => ({
      txs: prepareProposal(
        {
          height,
          reward: producer.coinbase,
          gasLimit: toProposalRules(config, head().header, toSeconds(time)).gasLimit,
          maxBytes: Number(maxTxBytes),
        },
        producer.select(),
      ),
    }),

    processProposal: async ({ height, time, hash, txs }) => {
      const reason = await app.processProposal({
        height: Number(height),
        time: toSeconds(time),
        engineHash: hash,
        entries: txs,
      })
      if (reason !== undefined) log.warn({ height: Number(height), reason }, 'proposal rejected')
      return { status: reason === undefined ? accept : reject }
    },

    finalizeBlock: ({ height, time, hash, txs }) =>
      app.finalizeDecided({ height: Number(height), time: toSeconds(time), engineHash: hash, entries: txs }),

    commit: async () => {
      const committed = await app.commitDecided()
      onHead(committed)
      snapshots.onCommitted(Number(committed.header.number))
      pool.onHead(toPoolHead(config, committed.header, Math.floor(Date.now() / 1000)), committed)
      return { retainHeight: retainHeight() }
    },

    query,

    // The genesis that we write disables vote extensions; an engine that has them enabled anyway gets empty ones.
    extendVote: () => ({ voteExtension: new Uint8Array(0) }),
    verifyVoteExtension: ({ voteExtension }) => ({ status: voteExtension.length === 0 ? accept : reject }),

    ...createSnapshotHandler(dependencies),
  }
}

/**
 * Returns a function that encodes a pool transaction for the engine; it returns undefined for one that is unknown or
 * not executable.
 */
export const createPoolEncoder =
  (pool: TransactionPool) =>
  (id: string): Uint8Array | undefined => {
    const found = pool.get(Buffer.from(id.slice(2), 'hex'))
    if (found === undefined || !pool.isPending(found)) return undefined
    return wrapTransaction(
      { transaction: found.transaction, raw: found.raw, from: found.sender },
      perihelionDialect,
    )
  }
