import { equalBytes } from '../../base/encoding/bytes.ts'
import { version } from '../../base/version.ts'
import { type LiveChainConfig, requireKnownRules } from '../../chain/config/liveConfig.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { resultsVersion } from '../../cosmos/results/buildResults.ts'
import { toBlockEvents } from '../../cosmos/results/nativeEvents.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { AppHead, ExecutedHead } from '../appHead.ts'
import { type BlockInputs, toBlockInputs } from '../blockInputs.ts'
import { whileWanted } from '../cancellation.ts'
import type { BlockBudget } from '../executeBlock.ts'
import { toBlockResults } from '../nativeResults.ts'
import type { PendingCommit } from '../pendingCommit.ts'
import { validatorChanges } from '../validatorChanges.ts'
import type { DecidedBlock, FinalizeResult } from './decidedBlock.ts'
import { KnownSenders } from './knownSenders.ts'
import { decodeBlockEntries, type RecoveredSenders } from './nativeBlock.ts'
import { type ProposalResult, processProposal } from './proposal.ts'
import { toProposalRules } from './rules.ts'
import { markWithoutRoom } from './withoutRoom.ts'

/** A block that was executed before the engine decided it. */
interface AheadBlock {
  readonly decided: DecidedBlock
  readonly result: FinalizeResult
  readonly pending: PendingCommit
}

/** What executes the blocks: the application. */
interface DecidedBlocksHost {
  readonly config: LiveChainConfig
  readonly state: StateStore
  /** Returns the head; throws if the block after it has another height. */
  requireParent(height: number): AppHead
  /** Executes the next block. */
  execute(
    inputs: BlockInputs,
    candidates: readonly RecoveredTransaction[],
    budget?: BlockBudget,
  ): { readonly executed: ExecutedHead; readonly pending: PendingCommit }
}

/** The blocks of a replicated engine, from the proposal to the result of its decision. Nothing is written here. */
export class DecidedBlocks {
  readonly #host: DecidedBlocksHost
  /** The last block that was executed ahead, on top of the head. */
  #ahead: AheadBlock | undefined
  /** The recovered senders of the last accepted proposal, which is usually the block that is decided next. */
  #senders: RecoveredSenders = new Map()
  readonly #known = new KnownSenders()

  constructor(host: DecidedBlocksHost) {
    this.#host = host
  }

  /** Forgets the block that was executed ahead, because the head moves. */
  forgetAhead(): void {
    this.#ahead = undefined
  }

  /** Checks whether the proposal may become the next block. */
  processProposal({ height, time, entries, senders }: Omit<DecidedBlock, 'engineHash'>): ProposalResult {
    if (senders !== undefined) this.#known.learn(senders)
    const { header } = this.#host.requireParent(height)
    const rules = toProposalRules(this.#host.config, header, time)
    requireKnownRules(this.#host.config, rules.timestamp, version)
    const result = processProposal(entries, rules, this.#known.at(rules.fork))
    if (result.accepted) this.#senders = result.senders
    return result
  }

  /**
   * Executes the next block as it was decided. Every entry gets a result, whatever it is. If the very same block was
   * executed ahead, its result is returned.
   */
  finalize(decided: DecidedBlock): Omit<AheadBlock, 'decided'> {
    if (decided.senders !== undefined) this.#known.learn(decided.senders)
    const executed = this.isExecutedAhead(decided) ? (this.#ahead as AheadBlock) : this.#execute(decided)
    this.#ahead = undefined
    return executed
  }

  /**
   * Executes a block that may be decided next and keeps the outcome until another is executed ahead or the head moves.
   * Nothing that can be observed changes. Throws an `InterruptedError` as soon as `isWanted` returns false.
   */
  executeAhead(decided: DecidedBlock, isWanted: () => boolean): FinalizeResult {
    this.#ahead = undefined
    const { result, pending } = this.#execute(decided, whileWanted(isWanted))
    this.#ahead = { decided, result, pending }
    return result
  }

  /**
   * Returns whether the outcome of this very block is kept. The engine's hash covers all of it; that the rest is compared too
   * means that no mistake about hashes can change a result.
   */
  isExecutedAhead({ height, time, engineHash, entries }: DecidedBlock): boolean {
    const ahead = this.#ahead?.decided
    return (
      ahead !== undefined &&
      ahead.height === height &&
      ahead.time === time &&
      equalBytes(ahead.engineHash, engineHash) &&
      ahead.entries.length === entries.length &&
      entries.every((entry, index) => Buffer.compare(entry, ahead.entries[index] as Uint8Array) === 0)
    )
  }

  #execute(
    { height, time, engineHash, entries }: DecidedBlock,
    budget?: BlockBudget,
  ): Omit<AheadBlock, 'decided'> {
    const parent = this.#host.requireParent(height)
    const rules = toProposalRules(this.#host.config, parent.header, time)
    const decoded = decodeBlockEntries(entries, rules, this.#known.at(rules.fork, this.#senders))
    const { beneficiary } = decoded
    const inputs = toBlockInputs(parent.header, parent.hash, {
      time: Number(rules.timestamp),
      beneficiary,
      engineHash,
      gasLimit: rules.gasLimit,
    })
    const candidates = decoded.entries.flatMap((entry) =>
      entry.kind === 'candidate' ? [entry.candidate] : [],
    )
    const { executed, pending } = this.#host.execute(inputs, candidates, budget)
    const { rejected } = executed.outcome
    const outcome = {
      ...executed.outcome,
      rejected: rules.fullBlocks ? markWithoutRoom(rejected) : rejected,
    }
    const result: FinalizeResult = {
      ...executed,
      outcome,
      results: toBlockResults(entries, decoded.entries, executed, outcome),
      events: toBlockEvents(executed.header, resultsVersion),
      validatorChanges: validatorChanges(this.#host.state.reader(height - 1), outcome.changes),
    }
    return { result, pending }
  }
}
