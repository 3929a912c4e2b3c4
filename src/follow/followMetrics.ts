import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Gauge, Registry } from 'prom-client'
import { parseSocketAddress } from '../base/encoding/socketAddress.ts'
import { explainListenError } from '../base/exit.ts'
import { FollowError } from './followError.ts'

/** Serves `/metrics` of a follower: how far it is, and how far the chain is. */
export class FollowMetrics {
  readonly #registry = new Registry()
  readonly #server: Server
  #head = 0
  #next = 0

  private constructor() {
    const gauge = (name: string, help: string, read: () => number): void => {
      const options = { name: `perihelion_follow_${name}`, help, registers: [this.#registry] }
      new Gauge({
        ...options,
        collect() {
          this.set(read())
        },
      })
    }
    gauge('head_block', "The newest block of the node's chain", () => this.#head)
    gauge('next_block', 'The first block that is not written', () => this.#next)
    gauge('lag_blocks', 'Blocks of the chain that are not written', () =>
      Math.max(0, this.#head + 1 - this.#next),
    )
    this.#server = createServer((request, response) => {
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      void this.#registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': this.#registry.contentType }).end(text)
      })
    })
  }

  static async listen(address: string): Promise<FollowMetrics> {
    const parsed = parseSocketAddress(`tcp://${address}`)
    if (parsed?.kind !== 'tcp')
      throw new FollowError(`${address} is not an address for metrics: give one as 127.0.0.1:9100`)
    const metrics = new FollowMetrics()
    await new Promise<void>((resolve, reject) => {
      metrics.#server.once('error', (error) => reject(explainListenError(error, address, 'metrics')))
      metrics.#server.listen(parsed.port, parsed.host, resolve)
    })
    return metrics
  }

  /** Where it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port // it listens on a port
  }

  onHead(head: number, next: number): void {
    this.#head = head
    this.#next = next
  }

  onWritten(next: number): void {
    this.#next = next
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
