import { rmSync } from 'node:fs'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { unwrap } from '../replay/block/native.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { Door } from '../replicas/door.ts'
import { ReplicaProcess } from '../replicas/replicaProcess.ts'

const replicaCount = 3
const upstreamCount = 3
const firstLength = 30

/** A chain that grows, three nodes of it, and three replicas that ask all of them. */
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
    const peers = this.urls.map((url, index) => `${index + 1}=${url}`).join(',')
    this.replicas = this.#doors.map(
      (door, index) =>
        new ReplicaProcess(door, this.#homes[index] as string, [
          ...this.upstreams.map(({ url }) => `--node=${url}`),
          '--gateway.weights=1,1,1',
          ...(process.env.CONTROL === undefined
            ? ['--gateway.verify-state', '--gateway.hold-newest']
            : ['--gateway.verify=false']),
          `--gateway.replica=${index + 1}`,
          `--gateway.peers=${peers}`,
          '--gateway.peer-token=a secret of this test alone',
          '--json-rpc.min-height-wait=30s',
        ]),
    )
    await Promise.all(this.replicas.map((replica) => replica.start()))
  }

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
