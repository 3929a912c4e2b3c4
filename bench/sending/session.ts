import { countSuccesses, waitForReceipt } from '../support/chain/receipts.ts'
import { type Connection, call, connect } from '../support/load/connection.ts'
import { percentile } from '../support/load/percentile.ts'
import { type RunningNode, type StartOptions, startNode } from '../support/peers/runningNode.ts'
import type { Measured } from '../support/run/part.ts'
import { addTimes, createThreadNames, type ThreadNames } from '../support/run/threads.ts'
import { errorsIn, toRequests } from '../support/transactions/measure.ts'
import { prepare, signAll, type Workload } from '../support/transactions/workload.ts'
import type { Pattern, Phase } from './patterns.ts'

/** The senders of a client that sends batches. */
const sendersOfOne = 20
const timeoutMs = 120_000

/** What was measured, over one or more phases. */
interface Sums {
  transactions: number
  done: number
  refused: number
  blocks: number
  wallMs: number
  cpuMs: number
  latencies: number[]
  readonly threads: Map<string, number>
}

const emptySums = (): Sums => ({
  ...{ transactions: 0, done: 0, refused: 0, blocks: 0, wallMs: 0, cpuMs: 0 },
  latencies: [],
  threads: new Map(),
})

interface Client {
  readonly connection: Connection
  readonly requests: readonly Buffer[]
  /** The hash of the last transaction of each request. */
  readonly lasts: readonly string[]
}

/** A node that was just started, and what was sent to it. */
class Session {
  readonly #node: RunningNode
  readonly #workload: Workload
  readonly #pattern: Pattern
  readonly #names: ThreadNames | undefined
  #sums = emptySums()
  #phases = 0

  private constructor(
    node: RunningNode,
    workload: Workload,
    pattern: Pattern,
    names: ThreadNames | undefined,
  ) {
    this.#node = node
    this.#workload = workload
    this.#pattern = pattern
    this.#names = names
  }

  static async start(program: string, options: StartOptions, pattern: Pattern): Promise<Session> {
    const names = program === 'perihelion' ? createThreadNames() : undefined
    const nodeArgs = [...(names?.nodeArgs ?? []), ...(options.nodeArgs ?? [])]
    const node = await startNode(program, { ...options, nodeArgs })
    const connection = await connect(node.port)
    try {
      const senders = Math.max(pattern.clients, pattern.batch > 1 ? sendersOfOne : 1)
      return new Session(node, await prepare(connection, senders), pattern, names)
    } finally {
      connection.close()
    }
  }

  get pattern(): Pattern {
    return this.#pattern
  }

  /** The number of phases that it has behind it. */
  get phases(): number {
    return this.#phases
  }

  async close(): Promise<void> {
    await this.#node.stop()
    this.#names?.close()
  }

  /** Sends what belongs to a phase. */
  async run({ transactions, isFromStart }: Phase): Promise<Measured> {
    if (!isFromStart) this.#sums = emptySums()
    this.#phases++
    const first = await connect(this.#node.port)
    const heightBefore = Number(await call<string>(first, 'eth_blockNumber'))
    const { clients, hashes } = await this.#sign(first, Math.ceil(transactions * this.#pattern.share))
    await this.#send(clients)
    const sums = this.#sums
    sums.transactions += hashes.length
    sums.blocks += Number(await call<string>(first, 'eth_blockNumber')) - heightBefore
    sums.done += await countSuccesses(first, hashes)
    for (const { connection } of [{ connection: first }, ...clients]) connection.close()
    return this.#toMeasured()
  }

  /** A client that sends batches has the transactions of all senders in turn, others each those of a sender. */
  async #sign(connection: Connection, transactions: number) {
    const { kind, clients: count, batch } = this.#pattern
    const senders = this.#workload.senders.length
    const signed = await signAll(connection, this.#workload, {
      ...{ kind, senders },
      count: Math.ceil(transactions / senders),
    })
    const inTurn = (member: 'raws' | 'hashes'): string[] =>
      Array.from(
        { length: transactions },
        (_, index) => signed[index % senders]?.[member][Math.floor(index / senders)] ?? '',
      )
    const lists = count === 1 ? [{ raws: inTurn('raws'), hashes: inTurn('hashes') }] : signed
    const clients: Client[] = []
    for (const { raws, hashes } of lists)
      clients.push({
        connection: await connect(this.#node.port),
        requests: toRequests(raws, batch),
        lasts: hashes.filter((_, index) => (index + 1) % batch === 0 || index === hashes.length - 1),
      })
    return { clients, hashes: lists.flatMap(({ hashes }) => hashes) }
  }

  async #send(clients: readonly Client[]): Promise<void> {
    const sums = this.#sums
    const { asksReceipt } = this.#pattern
    const send = async ({ connection, requests, lasts }: Client): Promise<void> => {
      for (const [index, request] of requests.entries()) {
        const sentAt = performance.now()
        sums.refused += errorsIn(await connection.exchange(request))
        if (asksReceipt) await waitForReceipt(connection, lasts[index] ?? '', timeoutMs)
        sums.latencies.push(performance.now() - sentAt)
      }
      if (!asksReceipt) await waitForReceipt(connection, lasts.at(-1) ?? '', timeoutMs)
    }
    const threads = this.#names?.readTimes(this.#node.pid)
    const cpuBefore = this.#node.cpuMs()
    const startedAt = performance.now()
    await Promise.all(clients.map(send))
    sums.wallMs += performance.now() - startedAt
    sums.cpuMs += this.#node.cpuMs() - cpuBefore
    const after = this.#names?.readTimes(this.#node.pid)
    if (threads !== undefined && after !== undefined) addTimes(sums.threads, threads, after)
  }

  #toMeasured(): Measured {
    const { transactions, done, refused, blocks, wallMs, cpuMs, threads, latencies } = this.#sums
    const sorted = Float64Array.from(latencies).sort()
    const figures = {
      rate: (transactions * 1000) / wallMs,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      cpuMicros: (cpuMs * 1000) / transactions,
    }
    if (done !== transactions || refused > 0)
      return { figures, note: `${done} of ${transactions} done, ${refused} rejected`, isVoid: true }
    const byThread = [...threads]
      .map(([name, ms]) => `${name} ${((ms * 1000) / transactions).toFixed(0)}`)
      .join(', ')
    const count = `${latencies.length} requests, ${blocks} blocks`
    return { figures, note: byThread === '' ? count : `${count}; CPU µs by thread: ${byThread}` }
  }
}

/** The one node of a side that runs: the next pattern gets a new one. */
export class Sessions {
  readonly #program: string
  readonly #options: StartOptions
  #session: Session | undefined

  constructor(program: string, options: StartOptions) {
    this.#program = program
    this.#options = options
  }

  /** Measures a phase of a pattern, after those before it. */
  async run(pattern: Pattern, phases: readonly Phase[], phase: number): Promise<Measured> {
    if (this.#session?.pattern !== pattern || this.#session.phases > phase) {
      await this.close()
      this.#session = await Session.start(this.#program, this.#options, pattern)
    }
    for (const earlier of phases.slice(this.#session.phases, phase)) await this.#session.run(earlier)
    return this.#session.run(phases[phase] as Phase) // the caller has it from this list
  }

  async close(): Promise<void> {
    await this.#session?.close()
    this.#session = undefined
  }
}
