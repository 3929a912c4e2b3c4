import type { AppHead } from '../../../app/appHead.ts'
import { SenderHintBatch } from '../../../app/proposal/knownSenders.ts'
import { type PreparedProposal, prepareProposal } from '../../../app/proposal/proposal.ts'
import { maxLimitsPerGas, type ProposalRules, toProposalRules } from '../../../app/proposal/rules.ts'
import type { MaybePromise } from '../../../base/async/maybePromise.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { clientVersion, version } from '../../../base/version.ts'
import { type LiveChainConfig, requireKnownRules } from '../../../chain/config/liveConfig.ts'
import { emptyCodeHash } from '../../../chain/state/evmState.ts'
import type { InvalidReason } from '../../../chain/transaction/invalidReason.ts'
import type { Validator } from '../../../chain/validators/validatorConfig.ts'
import { codes } from '../../../cosmos/codes.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { TransactionSubmitter } from '../../../pool/admission/transactionSubmitter.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { PoolHead, PoolTransaction } from '../../../pool/types.ts'
import type { StateStore } from '../../../state/stateStore.ts'
import type { EngineApplication, EngineProducer, ExcludedTransaction } from '../../application.ts'
import { isLowSpaceError, isUnknownForkError } from '../../commitErrors.ts'
import { RoomForecast } from '../proposing/roomForecast.ts'
import type { ValidatorReward } from '../reward.ts'
import type { Broadcaster } from '../sending/broadcaster.ts'
import type { OwnSignatures } from '../signing/ownSignatures.ts'
import type { BlockVote } from '../watch/validatorWatch.ts'
import { type CheckResult, checkTx } from './checkTx.ts'
import { findInitChainMismatch } from './initChainCheck.ts'
import { type AbciHandler, type CheckTxResponse, proposalStatus } from './messages.ts'
import { createSnapshotHandler, type SnapshotHandlerDependencies } from './snapshotHandler.ts'

export interface AbciOptions {
  readonly config: LiveChainConfig
  readonly validators: readonly Validator[]
}

export interface AbciDependencies extends SnapshotHandlerDependencies {
  readonly app: EngineApplication
  readonly pool: TransactionPool
  readonly intake: TransactionSubmitter
  readonly head: () => AppHead
  /** Returns the rules and prices of the next block after the head. */
  readonly poolHead: () => PoolHead
  readonly state: Pick<StateStore, 'reader'>
  readonly genesisHash: () => Uint8Array
  /** Returns the validators of the contract in the genesis state. */
  readonly genesisValidators: () => readonly Validator[]
  readonly producer: Pick<EngineProducer, 'select'>
  readonly reward: Pick<ValidatorReward, 'forProposer'>
  /** Called with the votes for the block before a decided one. */
  readonly onVotes: (votes: readonly BlockVote[]) => void
  /** Called when a block is committed and becomes the head. */
  readonly onHead: (head: AppHead) => void
  /** Follows what the engine's mempool holds. */
  readonly relay: Pick<
    Broadcaster,
    'markInMempool' | 'returnFromMempool' | 'takeRenewal' | 'takeDropped' | 'onHead'
  >
  /** Returns the height below which the engine may prune its blocks; zero if it keeps all. */
  readonly retainHeight: () => bigint
  readonly query: AbciHandler['query']
  /** Called with the reason if a decided block cannot be written because the disk is nearly full; the node must stop. */
  readonly onLowSpace: (reason: string) => void
  /** Called with the reason if the next block needs rules that this version does not know; the node must stop. */
  readonly onUnknownFork: (reason: string) => void
  /** Tells whether somebody else signs with the key of this validator; undefined if this node does not have its key. */
  readonly signatures: Pick<OwnSignatures, 'findForeign'> | undefined
  /** Called with the reason if somebody does; the node must stop. */
  readonly onForeignSignature: (reason: string) => void
}

const { accepted, rejected } = proposalStatus

/** Returns whole seconds, because a header has no fractions. */
const toSeconds = (time: { readonly seconds: bigint } | undefined): bigint => time?.seconds ?? 0n

/** Creates the ABCI handler of the application. Only `commit` changes the chain. */
export const createAbciHandler = (
  { config, validators }: AbciOptions,
  dependencies: AbciDependencies,
): AbciHandler => {
  const { app, pool, intake, producer, reward, head, poolHead, onHead, relay, retainHeight, query, log } =
    dependencies
  const { snapshots } = dependencies
  const heightOf = (): bigint => head().header.number
  const stopping = stopBeforeUnknownForks(dependencies.onUnknownFork)
  const senders = new SenderHintBatch()
  const forecast = new RoomForecast({
    hasCode: (address) => {
      const codeHash = dependencies.state.reader(Number(heightOf())).account(address)?.codeHash
      return codeHash !== undefined && !equalBytes(codeHash, emptyCodeHash)
    },
    pooled: (hash) => pool.get(hash),
  })
  const checks = { pool, intake, takeDropped: (id: string) => relay.takeDropped(id) }
  intake.onRecovered = (...recovered) => senders.add(...recovered)

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

    checkTx: ({ tx, kind }) => {
      const isRecheck = kind === 1
      const answer = (result: CheckResult): CheckTxResponse => {
        if (result.code === 0) {
          const held = isRecheck ? pool.get(result.hash) : undefined
          if (held !== undefined && relay.takeRenewal(held))
            return { code: codes.alreadyKnown, log: 'it is sent again', codespace: 'sdk' }
          relay.markInMempool(toHex(result.hash), isRecheck)
          return { code: 0, gasWanted: result.gasWanted }
        }
        if (isRecheck && result.held !== undefined) relay.returnFromMempool(result.held)
        return { code: result.code, log: result.log, codespace: 'sdk' }
      }
      const checked = checkTx(tx, isRecheck, checks)
      return checked instanceof Promise ? checked.then(answer) : answer(checked)
    },

    prepareProposal: stopping(({ time, maxTxBytes, proposerAddress }) => {
      const rules = toProposalRules(config, head().header, toSeconds(time))
      requireKnownRules(config, rules.timestamp, version)
      const { entries, forbidden } = prepareProposal(
        { rules, reward: reward.forProposer(proposerAddress), maxBytes: Number(maxTxBytes) },
        producer.select(rules.fullBlocks ? rules.gasLimit * maxLimitsPerGas : undefined),
        forecast,
      )
      dropForbidden(forbidden, rules, dependencies)
      return { txs: [...entries] }
    }),

    processProposal: stopping(async ({ height, time, hash, txs }) => {
      const reason = await app.processProposal({
        height: Number(height),
        time: toSeconds(time),
        engineHash: hash,
        entries: txs,
        senders: senders.take(),
      })
      if (reason !== undefined) log.warn({ height: Number(height), reason }, 'proposal rejected')
      return { status: reason === undefined ? accepted : rejected }
    }),

    finalizeBlock: stopping(async ({ height, time, hash, txs, decidedLastCommit }) => {
      const foreign = await dependencies.signatures?.findForeign({
        height: Number(height),
        time: toSeconds(time),
        votes: decidedLastCommit?.votes ?? [],
      })
      if (foreign !== undefined) {
        dependencies.onForeignSignature(foreign)
        // Not answered, so that the engine goes no further and signs nothing.
        return new Promise(() => {})
      }
      dependencies.onVotes(decidedLastCommit?.votes ?? [])
      return app.finalizeDecided({
        height: Number(height),
        time: toSeconds(time),
        engineHash: hash,
        entries: txs,
        senders: senders.take(),
      })
    }),

    commit: async () => {
      const committed = await app.commitDecided().catch((error: unknown) => {
        if (isLowSpaceError(error)) dependencies.onLowSpace(error.message)
        throw error
      })
      onHead(committed)
      snapshots.onCommitted(Number(committed.header.number))
      forecast.onCommitted(committed)
      pool.onHead(poolHead(), committed)
      dropInvalid(committed.rejected, dependencies)
      relay.onHead(committed.included, findReturning(committed.rejected, pool))
      return { retainHeight: retainHeight() }
    },

    query,

    // The genesis that we write disables vote extensions; an engine that has them enabled anyway gets empty ones.
    extendVote: () => ({ voteExtension: new Uint8Array(0) }),
    verifyVoteExtension: ({ voteExtension }) => ({
      status: voteExtension.length === 0 ? accepted : rejected,
    }),

    ...createSnapshotHandler(dependencies),
  }
}

/** Encodes a transaction of the pool for the engine. */
export const encodePoolTransaction = ({ transaction, raw, sender }: PoolTransaction): Uint8Array =>
  wrapTransaction({ transaction, raw, from: sender }, perihelionDialect)

/**
 * Returns a function that wraps a call about the next block. If that block needs rules that this version does not know,
 * the node is stopped and the call is never answered: a response of any kind would let the engine go on, or crash it.
 */
const stopBeforeUnknownForks =
  (stop: (reason: string) => void) =>
  <Request, Response>(call: (request: Request) => MaybePromise<Response>) =>
  async (request: Request): Promise<Response> => {
    try {
      return await call(request)
    } catch (error) {
      if (!isUnknownForkError(error)) throw error
      stop(error.message)
      return new Promise(() => {})
    }
  }

/** The reasons that the pool cannot see itself and that hold in the next block too, whatever was in this one. */
const lastingReasons: ReadonlySet<InvalidReason> = new Set(['invalid deposit log', 'sender not an eoa'])

/**
 * Drops the transactions of a decided block that execution found invalid for good: they would be proposed again and
 * again. The others were only at the wrong place, for which their senders are not to blame.
 */
const dropInvalid = (
  excluded: readonly ExcludedTransaction[],
  { pool, log }: Pick<AbciDependencies, 'pool' | 'log'>,
): void => {
  for (const { hash, reason } of excluded)
    if (lastingReasons.has(reason) && pool.remove(hash))
      log.warn({ hash: toHex(hash), reason }, 'dropped an invalid transaction from the pool')
}

/** Returns the transactions of a decided block that it had no room for: the engine dropped them, and the pool did not. */
const findReturning = (
  excluded: readonly ExcludedTransaction[],
  pool: Pick<TransactionPool, 'get'>,
): readonly PoolTransaction[] =>
  excluded.flatMap(({ hash, reason }) => {
    const pooled = reason === 'no room in the block' ? pool.get(hash) : undefined
    return pooled === undefined ? [] : [pooled]
  })

/**
 * Drops the transactions that no block with the pool's own rules may hold: the pool was wrong about them, and each
 * would keep its sender from every block. What only this block's rules forbid waits, because its time may be before a
 * fork that the pool already follows; the next head makes the pool drop what a fork forbids for good.
 */
const dropForbidden = (
  forbidden: PreparedProposal<PoolTransaction>['forbidden'],
  { fork }: ProposalRules,
  { pool, log }: Pick<AbciDependencies, 'pool' | 'log'>,
): void => {
  if (fork !== pool.head.fork) return
  for (const { candidate, reason } of forbidden) {
    log.warn({ hash: candidate.id, reason }, 'dropped an invalid transaction from the pool')
    pool.remove(candidate.hash)
  }
}
