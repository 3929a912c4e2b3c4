import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

export interface RpcFailure {
  readonly code: number
  readonly message: string
}

/** An error in a response of the server. */
export class RpcAnswerError extends Error {
  readonly code: number

  constructor({ code, message }: RpcFailure) {
    super(message)
    this.name = 'RpcAnswerError'
    this.code = code
  }
}

export type Rpc = <T = unknown>(method: string, ...params: unknown[]) => Promise<T>

/** A client that knows only JSON-RPC. */
export const createRpc = (url: string): Rpc => {
  let lastId = 0
  return <T>(method: string, ...params: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
      const sent = request(url, {
        method: 'POST',
        agent,
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          try {
            const response = JSON.parse(Buffer.concat(chunks).toString()) as {
              result?: T
              error?: RpcFailure
            }
            if (response.error !== undefined) reject(new RpcAnswerError(response.error))
            else resolve(response.result as T)
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.end(body)
    })
}
