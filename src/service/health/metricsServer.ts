import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { explainListenError } from '../../base/exit.ts'
import type { Logger } from '../../base/logging/log.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { type Pages, sendPage } from '../../rpc/transport/pages.ts'
import { startingPages } from './healthPages.ts'

/** Connections beyond this are closed at once: a scraper and a few probes need no more. */
const maxConnections = 64
/** How long a request may take to arrive, so that those who send nothing do not keep the others out for long. */
const requestTimeoutMs = 2_000
/** The interval at which Node looks for those that took longer. */
const checkIntervalMs = 1_000
/** How long a connection may be idle, as that of a client that does not read. */
const idleTimeoutMs = 10_000

/** Serves metrics and health on an address of their own, from before the chain is open until after it is closed. */
export class MetricsServer {
  readonly #server: Server
  readonly #log: Logger
  #pages: Pages = startingPages()

  constructor(log: Logger) {
    this.#log = log
    this.#server = createServer(
      {
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: checkIntervalMs,
      },
      (request, response) => this.#serve(request, response),
    )
    this.#server.maxConnections = maxConnections
    this.#server.timeout = idleTimeoutMs
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo // a TCP server that listens has one
    return `http://${formatAddress({ host: address, port })}`
  }

  start({ host, port }: ListenAddress): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(explainListenError(error, formatAddress({ host, port }), 'metrics-address')),
      )
      this.#server.listen({ host, port }, () => {
        this.#server.on('error', (error) => this.#log.error({ err: error }, 'a connection was lost'))
        resolve()
      })
    })
  }

  /** Sets what is served from now on; undefined if the service is not open any more. */
  setPages(pages: Pages | undefined): void {
    this.#pages = pages ?? startingPages()
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const page = isRead ? this.#pages.find(request.url) : undefined
    if (page !== undefined) return sendPage(page, request, response, this.#log)
    response.writeHead(isRead ? 404 : 405).end('this address serves /metrics, /health and /ready\n')
  }
}
