import { Agent, request } from 'node:http'

/** A chain under test, with the names by which its hashes and ids are compared with those of another chain. */

export interface Answer {
  readonly result?: unknown
  /** Whether it failed, and how; messages differ between programs. */
  readonly error?: { readonly code: number; readonly message: string }
}

export class ChainUnderTest {
  readonly name: string
  readonly #send: (method: string, params: readonly unknown[]) => Promise<Answer>
  /** The hashes of transactions and the ids of snapshots, in the order in which they were given. */
  readonly transactions: string[] = []
  readonly snapshots: {
    readonly id: string
    readonly height: number
    isGone: boolean
    isReverted: boolean
  }[] = []

  constructor(name: string, send: (method: string, params: readonly unknown[]) => Promise<Answer>) {
    this.name = name
    this.#send = send
  }

  send(method: string, ...params: readonly unknown[]): Promise<Answer> {
    return this.#send(method, params)
  }

  async require<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.send(method, ...params)
    if (error !== undefined) throw new Error(`${this.name}: ${method}: ${error.message}`)
    return result as T // as the caller expects
  }

  /** Forgets the names, for the next sequence. */
  clear(): void {
    this.transactions.length = 0
    this.snapshots.length = 0
  }

  /** Returns the name of a transaction that is the same on both chains. */
  transactionName(hash: string): string {
    const index = this.transactions.indexOf(hash)
    return index < 0 ? 'an unknown transaction' : `transaction ${index}`
  }
}

/** Calls over connections that stay open; `fetch` costs as much as all that the chains do. */
export const overHttp = (url: string): ((method: string, params: readonly unknown[]) => Promise<Answer>) => {
  const agent = new Agent({ keepAlive: true })
  return (method, params) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const asked = request(url, { agent, method: 'POST', headers }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(parts).toString()) as Answer)
          } catch (error) {
            reject(error)
          }
        })
        response.on('error', reject)
      })
      asked.on('error', reject)
      asked.end(body)
    })
}
