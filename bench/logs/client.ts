import { Agent, request } from 'node:http'

/** One client with one connection, which sends its next request when the answer to the last is there. */
export class RpcClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const parts: Buffer[] = []
    await this.#post(bodyOf(method, params), (chunk) => parts.push(chunk))
    const { result, error } = JSON.parse(Buffer.concat(parts).toString()) as {
      result?: T
      error?: { message: string }
    }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result as T // as the caller knows
  }

  /** Asks and throws the answer away; gives its length. */
  async drain(method: string, ...params: readonly unknown[]): Promise<number> {
    let bytes = 0
    await this.#post(bodyOf(method, params), (chunk) => {
      bytes += chunk.length
    })
    return bytes
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(body: string, onData: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
      const options = { host: '127.0.0.1', port: this.#port, method: 'POST', agent: this.#agent, headers }
      const sent = request(options, (response) => {
        response.on('data', onData)
        response.on('end', resolve)
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

const bodyOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
