import {
  createBlock,
  type EngineBlock,
  type Message,
  medianTime,
  type Powers,
  type Proposal,
  proposerOf,
  totalPower,
  type Vote,
} from './messages.ts'
import type { ModelNode, Surroundings } from './modelNode.ts'
import { Violation } from './violation.ts'

type Step = 'propose' | 'prevote' | 'precommit'
type VoteKind = Vote['kind']

/** Timeouts of the engine in milliseconds, and what they grow by with each round. */
const timeouts: Readonly<Record<Step, number>> = { propose: 3000, prevote: 1000, precommit: 1000 }
const growth = 500

/** What a node has signed and locked at a height. It is on the engine's disk. */
interface Height {
  readonly height: number
  round: number
  step: Step
  locked: { readonly id: string; readonly round: number } | undefined
  valid: { readonly block: EngineBlock; readonly round: number } | undefined
  readonly signed: Map<string, Message>
}

/** Tendermint's algorithm (Buchman, Kwon, Milosevic 2018) in one node, with the rules in the paper's order. */
export class Consensus {
  readonly #node: ModelNode
  readonly #around: Surroundings
  #at: Height | undefined
  /** What has arrived, by height: the memory of the process. */
  readonly #inbox = new Map<number, Message[]>()
  readonly #proposals = new Map<number, Proposal>()
  readonly #votes = new Map<string, Map<string, Vote>>()
  /** The height that begins after the pause. */
  #waiting: number | undefined
  /** Rules that act once a round. */
  readonly #fired = new Set<string>()

  constructor(node: ModelNode, around: Surroundings) {
    this.#node = node
    this.#around = around
  }

  /** Loses all that is only in memory. */
  forget(): void {
    this.#inbox.clear()
    this.#clear()
  }

  #clear(): void {
    this.#proposals.clear()
    this.#votes.clear()
    this.#fired.clear()
  }

  get #powers(): Powers {
    return this.#node.state.validators
  }

  get #isValidator(): boolean {
    return this.#powers.has(this.#node.key)
  }

  /** Begins a height, or goes on where the process ended. What was sent before this node came to the height comes again. */
  async enterHeight(height: number): Promise<void> {
    this.#clear()
    this.#around.resendMessages(this.#node, height)
    const isResumed = this.#at?.height === height
    if (!isResumed)
      this.#at = { height, round: 0, step: 'propose', locked: undefined, valid: undefined, signed: new Map() }
    const at = this.#require()
    for (const message of this.#inbox.get(height) ?? []) this.#take(message)
    for (const known of [...this.#inbox.keys()]) if (known <= height) this.#inbox.delete(known)
    if (isResumed)
      for (const message of at.signed.values()) {
        this.#take(message)
        this.#send(message)
      }
    await this.#startRound(at.round, isResumed ? at.step : 'propose')
    await this.#advance()
  }

  #require(): Height {
    if (this.#at === undefined) throw new Error('no height has begun')
    return this.#at
  }

  async #startRound(round: number, step: Step): Promise<void> {
    const at = this.#require()
    at.round = round
    at.step = step
    this.#around.onRound(round)
    this.#setTimeout(step)
    const isMine = this.#isValidator && proposerOf(this.#powers, at.height, round) === this.#node.key
    if (step !== 'propose' || !isMine || at.signed.has(`proposal ${round}`)) return
    const block = at.valid?.block ?? (await this.#proposeBlock(at.height))
    this.#sign(`proposal ${round}`, {
      kind: 'proposal',
      height: at.height,
      round,
      block,
      validRound: at.valid?.round ?? -1,
    })
  }

  async #proposeBlock(height: number): Promise<EngineBlock> {
    const { state, key } = this.#node
    const { scenario } = this.#around
    const before = this.#node.stored(height - 1)
    const time = before === undefined ? scenario.genesisTime : medianTime(before.commit, state.lastValidators)
    const txs = await this.#node.prepareProposal(height, time)
    const bytes = txs.reduce((sum, { length }) => sum + length + 4, 0)
    if (bytes > scenario.maxBlockBytes + 4 * txs.length)
      throw new Violation('refused', `the proposal of node ${this.#node.index} has ${bytes} bytes`)
    return createBlock({ height, time, proposer: key, appHash: state.appHash, txs })
  }

  #sign(name: string, message: Message): void {
    const at = this.#require()
    if (at.signed.has(name)) return
    at.signed.set(name, message)
    this.#take(message)
    this.#send(message)
  }

  #send(message: Message): void {
    this.#around.remember(message)
    this.#around.broadcast(this.#node, (to) => to.consensus.receive(message))
  }

  #vote(kind: VoteKind, value: string | undefined, minTime: number): void {
    if (!this.#isValidator) return
    const { height, round } = this.#require()
    const time = Math.max(this.#node.clock, minTime + 1)
    this.#sign(`${kind} ${round}`, { kind, height, round, validator: this.#node.key, value, time })
  }

  async receive(message: Message): Promise<void> {
    const height = this.#at?.height ?? 0
    if (this.#node.program === undefined || message.height < height) return
    if (message.height > height) {
      const list = this.#inbox.get(message.height) ?? []
      list.push(message)
      this.#inbox.set(message.height, list)
      return
    }
    this.#take(message)
    await this.#advance()
  }

  #take(message: Message): void {
    if (message.kind === 'proposal') {
      this.#proposals.set(message.round, message)
      return
    }
    const name = `${message.kind} ${message.round}`
    const votes = this.#votes.get(name) ?? new Map<string, Vote>()
    votes.set(message.validator, message)
    this.#votes.set(name, votes)
  }

  #power(kind: VoteKind, round: number, value?: string | null): number {
    let power = 0
    for (const vote of this.#votes.get(`${kind} ${round}`)?.values() ?? [])
      if (value === undefined || vote.value === (value ?? undefined))
        power += this.#powers.get(vote.validator) ?? 0
    return power
  }

  /** Returns whether more than two thirds voted so; null is a vote for no block, undefined any vote. */
  #hasQuorum(kind: VoteKind, round: number, value?: string | null): boolean {
    return this.#power(kind, round, value) * 3 > totalPower(this.#powers) * 2
  }

  #once(name: string): boolean {
    if (this.#fired.has(name)) return false
    this.#fired.add(name)
    return true
  }

  #setTimeout(step: Step): void {
    const { height, round } = this.#require()
    const { life } = this.#node
    this.#node.world.schedule(timeouts[step] + growth * round, () =>
      this.#node.run(async () => {
        if (life === this.#node.life) await this.#onTimeout(step, height, round)
      }),
    )
  }

  async #onTimeout(step: Step, height: number, round: number): Promise<void> {
    const at = this.#at
    if (at?.height !== height || at.round !== round) return
    if (step === 'precommit') await this.#startRound(round + 1, 'propose')
    else if (step !== at.step) return
    else if (step === 'propose') this.#enterPrevote(undefined, 0)
    else this.#enterPrecommit(undefined, 0)
    await this.#advance()
  }

  #enterPrevote(value: string | undefined, minTime: number): void {
    this.#require().step = 'prevote'
    this.#vote('prevote', value, minTime)
  }

  #enterPrecommit(value: string | undefined, minTime: number): void {
    this.#require().step = 'precommit'
    this.#vote('precommit', value, minTime)
  }

  /** Applies the rules until none does anything. */
  async #advance(): Promise<void> {
    while (await this.#applyRule());
  }

  async #applyRule(): Promise<boolean> {
    const at = this.#require()
    const decided = this.#findDecided()
    if (decided !== undefined) {
      await this.decide(decided.block, decided.commit)
      return false
    }
    const later = this.#findLaterRound(at.round)
    if (later !== undefined) {
      await this.#startRound(later, 'propose')
      return true
    }
    const { round } = at
    const proposal = this.#proposals.get(round)
    if (at.step === 'propose' && proposal !== undefined && this.#once(`proposal ${round}`))
      return this.#onProposal(at, proposal)
    if (this.#hasQuorum('prevote', round)) {
      if (at.step === 'prevote' && this.#once(`prevotes ${round}`)) this.#setTimeout('prevote')
      if (
        proposal !== undefined &&
        at.step !== 'propose' &&
        this.#hasQuorum('prevote', round, proposal.block.id)
      )
        if (this.#once(`lock ${round}`)) return this.#onPrevotes(at, proposal)
      if (at.step === 'prevote' && this.#hasQuorum('prevote', round, null)) {
        this.#enterPrecommit(undefined, 0)
        return true
      }
    }
    if (this.#hasQuorum('precommit', round) && this.#once(`precommits ${round}`))
      this.#setTimeout('precommit')
    return false
  }

  #findDecided(): { readonly block: EngineBlock; readonly commit: readonly Vote[] } | undefined {
    for (const { block } of this.#proposals.values())
      for (const round of this.#roundsOf('precommit'))
        if (this.#hasQuorum('precommit', round, block.id)) {
          const votes = this.#votes.get(`precommit ${round}`)?.values() ?? []
          return { block, commit: [...votes].filter(({ value }) => value === block.id) }
        }
    return undefined
  }

  #roundsOf(kind: VoteKind): readonly number[] {
    return [...this.#votes.keys()]
      .filter((name) => name.startsWith(kind))
      .map((name) => Number(name.split(' ')[1]))
  }

  #findLaterRound(round: number): number | undefined {
    const later = [...this.#roundsOf('prevote'), ...this.#roundsOf('precommit')]
      .filter((one) => one > round)
      .sort((one, other) => other - one)
    return later.find((one) => {
      const power = Math.max(this.#power('prevote', one), this.#power('precommit', one))
      return power * 3 > totalPower(this.#powers)
    })
  }

  /** Votes on a proposal, which the application has to accept: all proposers are honest. */
  async #onProposal(at: Height, { block, validRound, round }: Proposal): Promise<boolean> {
    if (validRound >= 0 && !this.#hasQuorum('prevote', validRound, block.id)) {
      // The votes that make it valid are still on their way.
      this.#fired.delete(`proposal ${round}`)
      return false
    }
    if (block.appHash !== this.#node.state.appHash)
      throw new Violation(
        'agreement',
        `node ${this.#node.index} does not have the AppHash of block ${block.height}`,
      )
    await this.#node.processProposal(block)
    const isFree = at.locked === undefined || at.locked.id === block.id || at.locked.round <= validRound
    this.#enterPrevote(isFree ? block.id : undefined, block.time)
    return true
  }

  #onPrevotes(at: Height, { block, round }: Proposal): boolean {
    at.valid = { block, round }
    if (at.step !== 'prevote') return false
    at.locked = { id: block.id, round }
    this.#enterPrecommit(block.id, block.time)
    return true
  }

  /** Applies a decided block and begins the next height after a pause. */
  async decide(block: EngineBlock, commit: readonly Vote[]): Promise<void> {
    await this.#node.apply(block, commit)
    const { life } = this.#node
    const next = block.height + 1
    // Until then what is about the next height waits.
    this.#at = undefined
    this.#clear()
    this.#waiting = next
    this.#node.world.schedule(this.#around.scenario.pause, () =>
      this.#node.run(async () => {
        if (life === this.#node.life && this.#waiting === next) {
          this.#waiting = undefined
          await this.enterHeight(next)
        }
      }),
    )
  }
}
