import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { codes } from '../../src/cosmos/codes.ts'
import { ResponseSchema } from '../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import type { Seams } from './application.ts'
import type { EngineBlock, Message } from './messages.ts'
import { ModelNode, type Surroundings } from './modelNode.ts'
import { createGenesisText, createScenario, type Scenario } from './scenario.ts'
import { Traffic } from './traffic.ts'
import { Violation } from './violation.ts'
import { World } from './world.ts'

export interface SimulationOptions {
  readonly seed: number
  readonly heights: number
  /** What is not left to chance. */
  readonly scenario?: Partial<Scenario>
  /** Returns the seams of a node. */
  readonly seams?: (node: number, world: World) => Seams
}

export interface SimulationResult {
  readonly seed: number
  readonly heights: number
  /** Rounds beyond the first, crashes, transactions in blocks: how much has happened. */
  readonly rounds: number
  readonly crashes: number
  readonly included: number
  /** How often a block had no room for a transaction. */
  readonly withoutRoom: number
  /** The calls at which a process ended: before, in or after them. */
  readonly crashPoints: readonly string[]
  /** The digest of all that happened, the same for the same seed. */
  readonly digest: string
  readonly violation: Violation | undefined
}

/** Without a decision for this long the chain has stopped: no fault lasts a tenth of it. */
const haltAfterMs = 300_000
/** The number of heights within which a transaction that every pool has is included. Forks and clocks may delay it. */
const inclusionHeights = 15

/** The result of a height on the first node that had it. */
interface Canonical {
  readonly id: string
  readonly response: string
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Returns the codes of a block's results. */
const codesOf = (response: Uint8Array): readonly number[] => {
  const { value } = fromBinary(ResponseSchema, response)
  return value.case === 'finalizeBlock' ? value.value.txResults.map(({ code }) => code) : []
}

/** The folder of the stores: in memory, where the computer has such a folder. */
const memoryFolder = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

class Simulation implements Surroundings {
  readonly scenario: Scenario
  readonly genesis: string
  readonly #world: World
  readonly #root = mkdtempSync(join(memoryFolder(), 'perihelion-simulation-'))
  readonly #nodes: readonly ModelNode[]
  readonly #traffic: Traffic
  readonly #log = new Map<number, Message[]>()
  readonly #canonical = new Map<number, Canonical>()
  readonly #blocks: EngineBlock[] = []
  /** The heights for which a transaction has been in every pool, by hash. */
  readonly #waiting = new Map<string, number>()
  #partition: { readonly until: number; readonly group: readonly boolean[] } = { until: 0, group: [] }
  #lastDecision: number
  #lastCounted = 0
  readonly crashPoints = new Set<string>()
  rounds = 0
  crashes = 0
  included = 0
  withoutRoom = 0

  constructor({ seed, scenario, seams }: SimulationOptions) {
    const world = new World(seed)
    this.#world = world
    this.scenario = createScenario(world.random, scenario ?? {})
    this.genesis = createGenesisText(this.scenario)
    // The network starts some seconds after the genesis.
    world.now = this.scenario.genesisTime + world.random.below(4000)
    this.#lastDecision = world.now
    this.#nodes = Array.from({ length: this.scenario.nodes }, (_, index) => this.#create(index, seams))
    this.#traffic = new Traffic(world.random, this.scenario)
  }

  #create(index: number, seams: SimulationOptions['seams']): ModelNode {
    return new ModelNode(
      index,
      join(this.#root, `node${index}`),
      seams?.(index, this.#world) ?? {},
      this.#world,
      this,
    )
  }

  async run(heights: number): Promise<void> {
    const world = this.#world
    for (const node of this.#nodes)
      world.schedule(world.random.below(200), () => node.run(() => node.start()))
    this.#sendLater()
    this.#stopLater()
    while (this.#canonical.size < heights) {
      await world.step()
      if (world.now - this.#lastDecision > haltAfterMs)
        throw new Violation('halt', `no block after ${this.#canonical.size} for ${haltAfterMs / 1000} s`)
    }
    await this.#replayAll()
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.stop()
    rmSync(this.#root, { recursive: true, force: true })
  }

  withClock<Result>(act: () => Promise<Result>): Promise<Result> {
    return this.#world.withClock(act)
  }

  onRound(round: number): void {
    if (round > 0) this.rounds++
  }

  digest(): string {
    return this.#world.digest()
  }

  get heights(): number {
    return this.#canonical.size
  }

  /** A node that has seen nothing gets all blocks, and has to have the same results. */
  async #replayAll(): Promise<void> {
    this.#world.record('replay')
    const fresh = this.#create(this.#nodes.length, undefined)
    try {
      await fresh.replayChain(this.#blocks)
    } finally {
      await fresh.stop()
    }
  }

  /** Has all nodes stop for a while, so that the next block is much older than the clocks say. */
  #stopLater(): void {
    const { outage } = this.scenario
    if (outage === undefined) return
    this.#world.schedule(outage.after, async () => {
      this.#world.record('outage')
      for (const node of this.#nodes) {
        if (node.program === undefined) continue
        await node.stop()
        this.#startLater(node, outage.length)
      }
    })
  }

  #startLater(node: ModelNode, delay: number): void {
    this.#world.schedule(delay + this.#world.random.below(8000), () => node.run(() => node.start()))
  }

  #sendLater(): void {
    const world = this.#world
    world.schedule(this.scenario.traffic + world.random.below(this.scenario.traffic), async () => {
      const node = world.random.pick(this.#nodes)
      await node.run(async () => {
        const hash = await this.#traffic.send(node, this.#nodes)
        if (hash !== undefined) this.#waiting.set(hash, 0)
      })
      this.#sendLater()
    })
  }

  #delay(from: ModelNode, to: ModelNode): number {
    const { random, now } = this.#world
    const { until, group } = this.#partition
    const isCut = now < until && group[from.index] !== group[to.index]
    const slow = random.chance(this.scenario.delays) ? random.below(4000) : 0
    return 1 + random.below(40) + slow + (isCut ? until - now : 0)
  }

  broadcast(from: ModelNode, deliver: (to: ModelNode) => Promise<void> | void): void {
    for (const to of this.#nodes) if (to !== from) this.#deliver(from, to, deliver)
  }

  #deliver(from: ModelNode, to: ModelNode, deliver: (to: ModelNode) => Promise<void> | void): void {
    const { life } = to
    this.#world.schedule(this.#delay(from, to), () =>
      to.run(async () => {
        if (to.life === life) await deliver(to)
      }),
    )
  }

  remember(message: Message): void {
    const list = this.#log.get(message.height) ?? []
    if (!list.includes(message)) list.push(message)
    this.#log.set(message.height, list)
    this.#log.delete(message.height - 50)
  }

  resendMessages(to: ModelNode, height: number): void {
    for (const message of this.#log.get(height) ?? [])
      this.#deliver(to, to, (node) => node.consensus.receive(message))
  }

  resendTransactions(to: ModelNode): void {
    for (const node of this.#nodes)
      if (node !== to) for (const tx of node.mempool()) this.#deliver(node, to, (peer) => peer.receiveTx(tx))
  }

  findDecided(node: ModelNode, height: number) {
    const { until, group } = this.#partition
    const isCut = (peer: ModelNode): boolean =>
      this.#world.now < until && group[node.index] !== group[peer.index]
    for (const peer of this.#nodes) {
      if (peer === node || peer.program === undefined || isCut(peer)) continue
      const found = peer.stored(height)
      if (found !== undefined) return found
    }
    return undefined
  }

  onFinalized(node: ModelNode, block: EngineBlock, response: Uint8Array, appHash: string): void {
    const result = { id: block.id, response: digestOf(response) }
    const known = this.#canonical.get(block.height)
    if (known === undefined) {
      this.#canonical.set(block.height, result)
      this.#blocks.push(block)
      this.withoutRoom += codesOf(response).filter((code) => code === codes.noRoom).length
      this.#lastDecision = this.#world.now
      this.#world.record(`block ${block.height} ${block.id} ${appHash} ${block.txs.length}`)
      this.#perturb()
      return
    }
    if (known.id !== block.id) throw new Error(`the model decided two blocks of height ${block.height}`)
    if (known.response !== result.response)
      throw new Violation(
        'agreement',
        `node ${node.index} has another result for block ${block.height}: AppHash ${appHash.slice(0, 16)}`,
      )
  }

  /** Cuts the network in two, now and then. */
  #perturb(): void {
    const { random, now } = this.#world
    if (now < this.#partition.until || !random.chance(this.scenario.partitions)) return
    this.#partition = { until: now + random.below(10_000), group: this.#nodes.map(() => random.chance(0.5)) }
    this.#world.record('partition')
  }

  onApplied(node: ModelNode, { height, txs }: EngineBlock): void {
    // Once for each height, on the first node that has it.
    if (height !== this.#canonical.size || height === this.#lastCounted) return
    this.#lastCounted = height
    const blocks = node.program?.context.blocks
    this.included += txs.length - 1
    for (const [hash, heights] of this.#waiting) {
      if (blocks?.locate(Buffer.from(hash.slice(2), 'hex')) !== undefined) this.#waiting.delete(hash)
      else if (!this.#isInEveryPool(hash)) this.#waiting.set(hash, 0)
      else if (heights >= inclusionHeights)
        throw new Violation('inclusion', `${hash} is in every pool since ${heights} heights`)
      else this.#waiting.set(hash, heights + 1)
    }
  }

  /** Returns whether every validator runs, and would have the transaction in its next block. */
  #isInEveryPool(hash: string): boolean {
    const bytes = Buffer.from(hash.slice(2), 'hex')
    return this.#nodes.every((node) => {
      if (node.program === undefined) return false
      const { pool } = node.program.context
      const transaction = pool.get(bytes)
      return (
        transaction !== undefined && pool.isPending(transaction) && transaction.feeCap >= pool.head.baseFee
      )
    })
  }

  onCrash(node: ModelNode, point: string): void {
    this.crashPoints.add(point)
    this.crashes++
    this.#startLater(node, 200)
  }
}

/** Runs a network from a seed, until a height or a violation. */
export const simulate = async (options: SimulationOptions): Promise<SimulationResult> => {
  const simulation = new Simulation(options)
  const run = async (): Promise<Violation | undefined> => {
    try {
      await simulation.run(options.heights)
      return undefined
    } catch (error) {
      if (error instanceof Violation) return error
      throw error
    }
  }
  try {
    const violation = await simulation.withClock(run)
    const { heights, rounds, crashes, included, withoutRoom } = simulation
    const crashPoints = [...simulation.crashPoints].sort()
    const happened = { heights, rounds, crashes, included, withoutRoom, crashPoints }
    return { seed: options.seed, ...happened, digest: simulation.digest(), violation }
  } finally {
    await simulation.close()
  }
}
