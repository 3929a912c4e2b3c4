import { rmSync } from 'node:fs'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { hasPostgres, PostgresServer } from '../../support/postgres.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { unwrap } from '../replay/block/native.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { Door } from '../replicas/door.ts'
import { ReplicaProcess } from '../replicas/replicaProcess.ts'

const replicaCount = 3
const upstreamCount = 3
const firstLength = 30
/** A block each so many milliseconds. */
export const beatMs = 500

/** What the gateways share is in a database where there is one; `SHARED=peers` has them ask each other. */
export const isFleet = hasPostgres && process.env.SHARED !== 'peers'

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
  replicas: readonly ReplicaProcess[] = []
  #database: PostgresServer | undefined
  #standby: PostgresServer | undefined
  #doors: readonly Door[] = []
  #homes: readonly string[] = []
  #beat: NodeJS.Timeout | undefined

  async open(): Promise<void> {
    this.#countSubmissions()
    this.upstreams = await Promise.all(
      Array.from({ length: upstreamCount }, () => startReplay({ chain: this.chain })),
    )
    this.#doors = await Promise.all(Array.from({ length: replicaCount }, () => new Door().open()))
    this.#homes = Array.from({ length: replicaCount }, () => temporaryHome())
    const shared = isFleet ? await this.#openDatabase() : this.#peerFlags
    this.replicas = this.#doors.map(
      (door, index) =>
        new ReplicaProcess(door, this.#homes[index] as string, [
          ...this.upstreams.map(({ url }) => `--node=${url}`),
          '--gateway.weights=1,1,1',
          ...(process.env.CONTROL === undefined
            ? ['--gateway.verify-state', '--gateway.hold-newest']
            : ['--gateway.verify=false']),
          ...shared(index),
          '--json-rpc.min-height-wait=30s',
        ]),
    )
    // One that sees no block of now is not ready.
    this.setBeat(beatMs)
    await Promise.all(this.replicas.map((replica) => replica.start()))
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

  async #openDatabase(): Promise<(index: number) => readonly string[]> {
    const settings = ['synchronous_standby_names=*']
    const database = await PostgresServer.start()
    this.#database = database
    this.#standby = await PostgresServer.start({ standbyOf: database })
    // From here on what is committed is at both.
    await database.stop()
    await database.begin(settings)
    const url = `postgres://postgres@127.0.0.1:${database.port},127.0.0.1:${this.#standby.port}/postgres`
    return () => [`--gateway.database=${url}`]
  }

  readonly #peerFlags = (index: number): readonly string[] => [
    `--gateway.replica=${index + 1}`,
    `--gateway.peers=${this.urls.map((url, at) => `${at + 1}=${url}`).join(',')}`,
    '--gateway.peer-token=a secret of this test alone',
  ]

  get urls(): readonly string[] {
    return this.#doors.map(({ url }) => url)
  }

  /** A block each so many milliseconds; none for 0. */
  setBeat(milliseconds: number): void {
    clearInterval(this.#beat)
    if (milliseconds > 0) this.#beat = setInterval(() => this.#grow(), milliseconds)
  }

  /** Waits until every replica may ask every node again. */
  async settle(): Promise<void> {
    for (let round = 0; !(await this.#isSettled()); round++) {
      if (round > 1_200) throw new Error('the nodes are not asked again')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async close(): Promise<void> {
    this.setBeat(0)
    for (const replica of this.replicas) await replica.close()
    for (const door of this.#doors) await door.close()
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
