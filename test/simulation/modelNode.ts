import { fromBinary } from '@bufbuild/protobuf'
import { ResponseSchema } from '../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import { encodePoolTransaction } from '../../src/engine/cometbft/abci/handler.ts'
import type { AbciHandler } from '../../src/engine/cometbft/abci/messages.ts'
import { engineChainId } from '../../src/engine/cometbft/process/genesisDoc.ts'
import { testChainId } from '../support/signedCandidates.ts'
import { createNodeEvm, type RunningProgram, type Seams, startProgram } from './application.ts'
import { Consensus } from './consensus.ts'
import type { EngineBlock, Message, Powers, Vote } from './messages.ts'
import type { Scenario } from './scenario.ts'
import { validatorKey } from './scenario.ts'
import { Crash, Violation } from './violation.ts'
import type { World } from './world.ts'

/** What the engine of a node has on its disk after a block. */
interface EngineState {
  readonly height: number
  readonly appHash: string
  /** The validators of this block, of the next one and of the one after it. */
  readonly lastValidators: Powers
  readonly validators: Powers
  readonly nextValidators: Powers
  readonly lastCommit: readonly Vote[]
}

interface StoredBlock {
  readonly block: EngineBlock
  readonly commit: readonly Vote[]
}

/** The others, as one node sees them, and what watches the run. */
export interface Surroundings {
  readonly scenario: Scenario
  readonly genesis: string
  broadcast(from: ModelNode, deliver: (to: ModelNode) => Promise<void> | void): void
  /** Returns a decided block that a node in reach has. */
  findDecided(node: ModelNode, height: number): StoredBlock | undefined
  remember(message: Message): void
  /** Has all that was sent about a height delivered again, as peers do for one that they know to lack it. */
  resendMessages(to: ModelNode, height: number): void
  /** Has all waiting transactions delivered again. */
  resendTransactions(to: ModelNode): void
  /** Called with the result of each block. */
  onFinalized(node: ModelNode, block: EngineBlock, response: Uint8Array, appHash: string): void
  onApplied(node: ModelNode, block: EngineBlock): void
  onCrash(node: ModelNode, point: string): void
  onRound(round: number): void
}

type Call = Exclude<keyof AbciHandler, 'query'>

const toTime = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 })
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const keyOf = (tx: Uint8Array): string => Buffer.from(tx).toString('latin1')

/** A turn of the event loop, in which the application executes a proposal ahead. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * One node: the real program, called by a small model of CometBFT. The fields of the engine's disk survive a crash, the
 * application has what it committed.
 */
export class ModelNode {
  readonly index: number
  /** The validator's key in hex. */
  readonly key: string
  readonly skew: number
  readonly world: World
  readonly consensus: Consensus
  readonly #folder: string
  readonly #seams: Seams
  readonly #around: Surroundings
  readonly #evm: ReturnType<typeof createNodeEvm>
  /** The disk of the engine. */
  readonly #store = new Map<number, StoredBlock>()
  readonly #responses = new Map<number, Uint8Array>()
  #state: EngineState
  /** The memory of the engine. */
  readonly #mempool = new Map<string, Uint8Array>()
  #program: RunningProgram | undefined
  /** The call within which the process is to end. */
  #crashInside: string | undefined
  #refusal = ''
  #isReplaying = false
  /** Counts the starts, so that what was meant for an earlier process reaches nobody. */
  life = 0

  constructor(index: number, folder: string, seams: Seams, world: World, around: Surroundings) {
    this.index = index
    this.key = hex(validatorKey(index))
    this.skew = around.scenario.skews[index] ?? 0
    this.world = world
    this.#folder = folder
    this.#seams = seams
    this.#around = around
    this.#evm = createNodeEvm(seams)
    const first: Powers = new Map(
      Array.from({ length: around.scenario.validators }, (_, node) => [hex(validatorKey(node)), 10]),
    )
    this.#state = {
      height: 0,
      appHash: '',
      lastValidators: first,
      validators: first,
      nextValidators: first,
      lastCommit: [],
    }
    this.consensus = new Consensus(this, around)
  }

  get program(): RunningProgram | undefined {
    return this.#program
  }

  get state(): EngineState {
    return this.#state
  }

  /** The clock of this node. */
  get clock(): number {
    return this.world.now + this.skew
  }

  stored(height: number): StoredBlock | undefined {
    return this.#store.get(height)
  }

  /** Runs what belongs to this node; a crash ends it. */
  async run(act: () => Promise<void>): Promise<void> {
    this.world.skew = this.skew
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      await this.stop()
      this.#around.onCrash(this, error.message)
    }
  }

  /** Starts the program, and brings application and engine to the same height. */
  async start(): Promise<void> {
    this.life++
    await this.#open()
    await this.#handshake()
    const { pool } = this.#requireProgram().context
    const { life } = this
    const relay = ({ id }: { readonly id: string }): void =>
      this.world.schedule(1, () => this.run(() => this.#relay(id, life)))
    pool.events.on('pending', relay)
    for (const transaction of pool.transactions()) relay(transaction)
    await this.consensus.enterHeight(this.#state.height + 1)
    this.#around.resendTransactions(this)
    this.#poll(life)
  }

  async #open(): Promise<void> {
    const options = {
      folder: this.#folder,
      index: this.index,
      genesis: this.#around.genesis,
      seams: this.#seams,
      onRefused: (reason: string) => {
        this.#refusal = reason
      },
      afterApplication: () => {
        if (this.#crashInside !== undefined) throw new Crash(this.#crashInside)
      },
    }
    this.#program = await startProgram(options, this.#evm)
  }

  /** Ends the process: what is not on a disk is lost. */
  async stop(): Promise<void> {
    const program = this.#program
    this.#program = undefined
    this.#mempool.clear()
    this.consensus.forget()
    this.life++
    await program?.close()
  }

  #requireProgram(): RunningProgram {
    if (this.#program === undefined) throw new Crash('stopped')
    return this.#program
  }

  /** Who comes back is given all waiting transactions: with the same chance for each, nobody would come back to a full pool. */
  #crashChance(name: Call): number {
    const { crashes } = this.#around.scenario
    return name === 'checkTx' ? crashes / (1 + this.#mempool.size / 10) : crashes
  }

  /** Makes a call of the engine. The process may end before it, in it, or before its response arrives. */
  async call(name: Call, request: object): Promise<Record<string, unknown> & { readonly raw: Uint8Array }> {
    const { random } = this.world
    const { handler } = this.#requireProgram()
    const isCrash = !this.#isReplaying && random.chance(this.#crashChance(name))
    const moment = isCrash ? random.pick(['before', 'inside', 'after'] as const) : undefined
    if (moment !== undefined) this.world.record(`crash ${this.index} ${name} ${moment}`)
    const point = `${moment} ${name}`
    if (moment === 'before') throw new Crash(point)
    this.#crashInside = moment === 'inside' ? point : undefined
    try {
      const response = await (handler[name] as (request: object) => unknown)(request)
      if (name === 'processProposal') await turn()
      if (moment !== undefined) throw new Crash(point)
      if (!(response instanceof Uint8Array)) return response as Awaited<ReturnType<ModelNode['call']>>
      return { ...(fromBinary(ResponseSchema, response).value.value as object), raw: response }
    } catch (error) {
      if (error instanceof Crash || error instanceof Violation) throw error
      throw new Violation('failure', `${name} of node ${this.index}: ${(error as Error).stack}`)
    } finally {
      this.#crashInside = undefined
    }
  }

  /** Replays to the application what it misses, as CometBFT does at its start. */
  async #handshake(): Promise<void> {
    const info = await this.call('info', {})
    let appHeight = Number(info.lastBlockHeight as bigint)
    const newest = Math.max(0, ...this.#store.keys())
    if (appHeight > newest)
      throw new Violation('replay', `node ${this.index} has block ${appHeight}, its engine ${newest}`)
    if (appHeight === 0) await this.#initChain()
    while (appHeight < newest) {
      appHeight++
      const { block, commit } = this.#store.get(appHeight) as StoredBlock
      if (appHeight > this.#state.height) await this.apply(block, commit)
      else await this.#replay(block)
    }
    // The process ended between the application's commit and the engine's.
    if (newest > this.#state.height) {
      const { block, commit } = this.#store.get(newest) as StoredBlock
      const response = this.#responses.get(newest)
      if (response === undefined) throw new Violation('replay', `node ${this.index} lost response ${newest}`)
      this.#advance(block, commit, response)
    }
    const after = await this.call('info', {})
    const appHash = hex(after.lastBlockAppHash as Uint8Array)
    if (this.#state.height > 0 && appHash !== this.#state.appHash)
      throw new Violation(
        'replay',
        `node ${this.index} is at ${appHash}, its engine at ${this.#state.appHash}`,
      )
  }

  async #initChain(): Promise<void> {
    const { appHash } = await this.call('initChain', {
      chainId: engineChainId(testChainId),
      initialHeight: 1n,
      validators: [...this.#genesisPowers()].map(([key, power]) => ({
        pubKey: { sum: { case: 'ed25519', value: new Uint8Array(Buffer.from(key, 'hex')) } },
        power: BigInt(power),
      })),
    })
    if (this.#state.height === 0) this.#state = { ...this.#state, appHash: hex(appHash as Uint8Array) }
  }

  #genesisPowers(): Powers {
    return new Map(
      Array.from({ length: this.#around.scenario.validators }, (_, node) => [hex(validatorKey(node)), 10]),
    )
  }

  async #replay(block: EngineBlock): Promise<void> {
    await this.#finalize(block)
    await this.call('commit', {})
  }

  /** Gives the application all blocks of a chain, without any proposal. */
  async replayChain(blocks: readonly EngineBlock[]): Promise<void> {
    this.world.skew = this.skew
    this.#isReplaying = true
    await this.#open()
    await this.#initChain()
    for (const block of blocks) await this.#replay(block)
  }

  async #finalize({ height, time, hash, txs, ...rest }: EngineBlock): Promise<Uint8Array> {
    const request = { height: BigInt(height), time: toTime(time), hash, txs }
    const { raw, appHash } = await this.call('finalizeBlock', request)
    this.#around.onFinalized(this, { height, time, hash, txs, ...rest }, raw, hex(appHash as Uint8Array))
    return raw
  }

  /** Applies a decided block. */
  async apply(block: EngineBlock, commit: readonly Vote[]): Promise<void> {
    this.#store.set(block.height, { block, commit })
    const response = await this.#finalize(block)
    this.#responses.set(block.height, response)
    await this.call('commit', {})
    this.#advance(block, commit, response)
    for (const tx of block.txs) this.#mempool.delete(keyOf(tx))
    this.#around.onApplied(this, block)
    for (const [key, tx] of [...this.#mempool]) {
      const { code } = await this.call('checkTx', { tx, kind: 1 })
      if (code !== 0) this.#mempool.delete(key)
    }
  }

  /** Writes the engine's state after a block. Changes of the validators take effect two blocks later. */
  #advance(block: EngineBlock, commit: readonly Vote[], response: Uint8Array): void {
    const { value } = fromBinary(ResponseSchema, response)
    if (value.case !== 'finalizeBlock') throw new Error('another response is kept')
    const following = new Map(this.#state.nextValidators)
    for (const { pubKey, power } of value.value.validatorUpdates) {
      const key = hex(pubKey?.sum.value as Uint8Array)
      if (power === 0n) following.delete(key)
      else following.set(key, Number(power))
    }
    this.#state = {
      height: block.height,
      appHash: hex(value.value.appHash),
      lastValidators: this.#state.validators,
      validators: this.#state.nextValidators,
      nextValidators: following,
      lastCommit: commit,
    }
    this.#responses.delete(block.height - 1)
  }

  async prepareProposal(height: number, time: number): Promise<readonly Uint8Array[]> {
    const maxTxBytes = BigInt(this.#around.scenario.maxBlockBytes)
    const request = {
      height: BigInt(height),
      time: toTime(time),
      maxTxBytes,
      txs: [...this.#mempool.values()],
    }
    return (await this.call('prepareProposal', request)).txs as readonly Uint8Array[]
  }

  /** Has the application check the proposal of another node, or of this one. All of them are honest. */
  async processProposal({ height, time, hash, txs, proposer }: EngineBlock): Promise<void> {
    const request = { height: BigInt(height), time: toTime(time), hash, txs }
    this.#refusal = 'no reason is known'
    if ((await this.call('processProposal', request)).status === 1) return
    const by = `a proposal of ${proposer.slice(0, 2)} for block ${height}`
    throw new Violation('refused', `node ${this.index} refuses ${by}: ${this.#refusal}`)
  }

  /** Gives a transaction of the pool to the engine, which carries it to the others. */
  async #relay(id: string, life: number): Promise<void> {
    const pool = life === this.life ? this.#program?.context.pool : undefined
    const found = pool?.get(Buffer.from(id.slice(2), 'hex'))
    const tx = found && pool?.isPending(found) ? encodePoolTransaction(found) : undefined
    if (tx === undefined || this.#mempool.has(keyOf(tx))) return
    if (!(await this.#checkTx(tx))) return
    this.#around.broadcast(this, (to) => to.receiveTx(tx))
  }

  async receiveTx(tx: Uint8Array): Promise<void> {
    if (this.#program !== undefined && !this.#mempool.has(keyOf(tx))) await this.#checkTx(tx)
  }

  async #checkTx(tx: Uint8Array): Promise<boolean> {
    const { code } = await this.call('checkTx', { tx, kind: 0 })
    // A success has no code on the wire.
    if (code !== undefined && code !== 0) return false
    this.#mempool.set(keyOf(tx), tx)
    return true
  }

  /** Returns what the engine of this node would send to one that joins. */
  mempool(): readonly Uint8Array[] {
    return [...this.#mempool.values()]
  }

  /** Looks for decided blocks that this node misses, again and again. */
  #poll(life: number): void {
    this.world.schedule(500, () =>
      this.run(async () => {
        if (life !== this.life) return
        const decided = this.#around.findDecided(this, this.#state.height + 1)
        if (decided !== undefined) await this.consensus.decide(decided.block, decided.commit)
        this.#poll(life)
      }),
    )
  }
}
