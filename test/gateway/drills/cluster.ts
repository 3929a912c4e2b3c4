import { rmSync } from 'node:fs'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { PostgresServer } from '../../support/postgres.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { Door } from '../fleet/door.ts'
import { GatewayProcess } from '../fleet/gatewayProcess.ts'
import { unwrap } from '../replay/block/native.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const gatewayCount = 3
const upstreamCount = 3
const firstLength = 30
/** Enough for the database, and little to fill. */
const databaseSize = '400m'
/** A block each so many milliseconds. */
export const beatMs = 500

/** How one gateway reaches what it asks. */
interface Ways {
  readonly nodes: readonly Door[]
  readonly databases: readonly Door[]
}

interface ClusterOptions {
  /** The gateways believe what nodes say. */
  readonly isTrusting?: boolean
  /** The gateways have no database: each keeps what it acknowledges in its own home. */
  readonly isAlone?: boolean
}

const doorTo = async (url: string): Promise<Door> => {
  const door = await new Door().open()
  door.leadTo(url)
  return door
}

/** A chain that grows, three nodes of it, and three gateways that ask all of them. */
export class Cluster {
  readonly chain = new SyntheticChain({
    family: 'cosmos-evm-0.7',
    length: firstLength,
    content: 'empty',
    hasProofs: true,
  })
  /** How often the chain took each transaction. */
  readonly taken = new Map<string, number>()
  upstreams: readonly Replay[] = []
  gateways: readonly GatewayProcess[] = []
  #database: PostgresServer | undefined
  #standby: PostgresServer | undefined
  #doors: readonly Door[] = []
  /** What each gateway asks: the nodes, and the database with its standby. */
  #ways: readonly Ways[] = []
  #homes: readonly string[] = []
  #beat: NodeJS.Timeout | undefined

  readonly #options: ClusterOptions

  constructor(options: ClusterOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const { isTrusting = false, isAlone = false } = this.#options
    this.#countSubmissions()
    this.upstreams = await Promise.all(
      Array.from({ length: upstreamCount }, () => startReplay({ chain: this.chain })),
    )
    this.#doors = await Promise.all(Array.from({ length: gatewayCount }, () => new Door().open()))
    this.#homes = Array.from({ length: gatewayCount }, () => temporaryHome())
    const databases = await this.#openDatabases()
    this.#ways = await Promise.all(this.#doors.map(() => this.#openWays(databases)))
    this.gateways = this.#doors.map((door, index) => {
      const { nodes, databases: ways } = this.#ways[index] as Ways
      const hosts = ways.map(({ port }) => `127.0.0.1:${port}`).join()
      return new GatewayProcess(door, this.#homes[index] as string, [
        ...nodes.map(({ url }) => `--node=${url}`),
        '--gateway.weights=1,1,1',
        ...(isTrusting ? ['--gateway.verify=false'] : ['--gateway.verify-state', '--gateway.hold-newest']),
        ...(isAlone ? [] : [`--gateway.database=postgres://postgres@${hosts}/postgres`]),
        '--json-rpc.min-height-wait=30s',
      ])
    })
    // One that sees no block of now is not ready.
    this.setBeat(beatMs)
    await Promise.all(this.gateways.map((gateway) => gateway.start()))
  }

  removeHome(index: number): void {
    rmSync(this.#homes[index] as string, { recursive: true, force: true })
  }

  /** The database of the gateways. */
  get database(): PostgresServer {
    if (this.#database === undefined) throw new Error('the gateways have no database')
    return this.#database
  }

  /** Kills the database, and makes its standby the new one. */
  async failOver(): Promise<void> {
    await this.database.kill()
    await this.#standby?.promote()
  }

  /** What passes between the gateways and their database takes so much longer each way; `Infinity` cuts it. */
  delayDatabase(milliseconds: number): void {
    for (const { databases } of this.#ways) for (const door of databases) door.delay(milliseconds)
  }

  /** Nothing passes any more between a gateway and the nodes, and its database. */
  cutOff(index: number, what: keyof Ways | 'all'): void {
    this.#delay(index, what, Number.POSITIVE_INFINITY)
  }

  /** What was cut off passes again. */
  join(index: number): void {
    this.#delay(index, 'all', 0)
  }

  #delay(index: number, what: keyof Ways | 'all', milliseconds: number): void {
    const ways = this.#ways[index] as Ways
    for (const kind of ['nodes', 'databases'] as const)
      if (what === 'all' || what === kind) for (const door of ways[kind]) door.delay(milliseconds)
  }

  async #openWays(databases: readonly PostgresServer[]): Promise<Ways> {
    return {
      nodes: await Promise.all(this.upstreams.map(({ url }) => doorTo(url))),
      databases: await Promise.all(databases.map((server) => doorTo(server.url()))),
    }
  }

  /** Starts a database and its standby. */
  async #openDatabases(): Promise<readonly PostgresServer[]> {
    const settings = ['synchronous_standby_names=*']
    const database = await PostgresServer.start({ size: databaseSize })
    this.#database = database
    const standby = await PostgresServer.start({ standbyOf: database })
    this.#standby = standby
    // From here on what is committed is at both.
    await database.stop()
    await database.begin(settings)
    return [database, standby]
  }

  get urls(): readonly string[] {
    return this.#doors.map(({ url }) => url)
  }

  /** A block each so many milliseconds; none for 0. */
  setBeat(milliseconds: number): void {
    clearInterval(this.#beat)
    if (milliseconds > 0) this.#beat = setInterval(() => this.#grow(), milliseconds)
  }

  /** Waits until every gateway may ask every node again. */
  async settle(): Promise<void> {
    for (let round = 0; !(await this.#isSettled()); round++) {
      if (round > 1_200) throw new Error('the nodes are not asked again')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async close(): Promise<void> {
    this.setBeat(0)
    for (const gateway of this.gateways) await gateway.close()
    for (const door of this.#doors) await door.close()
    for (const { nodes, databases } of this.#ways)
      for (const door of [...nodes, ...databases]) await door.close()
    for (const upstream of this.upstreams) await upstream.close()
    await this.#standby?.close()
    await this.#database?.close()
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true })
  }

  async #isSettled(): Promise<boolean> {
    for (const url of this.urls) {
      const text = await fetch(`${url}/metrics`).then(
        (response) => response.text(),
        () => '',
      )
      const ready = [...text.matchAll(/^perihelion_gateway_upstream_ready\{.*\} (\d)$/gm)]
      if (ready.length !== upstreamCount || ready.some(([, value]) => value !== '1')) return false
    }
    return true
  }

  #grow(): void {
    this.chain.grow()
    for (const upstream of this.upstreams) if (upstream.faults.back === undefined) upstream.announce()
  }

  #countSubmissions(): void {
    const { chain } = this
    const submit = chain.submit.bind(chain)
    chain.submit = (native) => {
      const outcome = submit(native)
      if (outcome.code === 0)
        for (const { hash } of unwrap(native, chain.traits))
          this.taken.set(toHex(hash), (this.taken.get(toHex(hash)) ?? 0) + 1)
      return outcome
    }
  }
}
