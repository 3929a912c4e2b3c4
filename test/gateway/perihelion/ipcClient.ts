import { createConnection, type Socket } from 'node:net'

/** Answers as text, asked as an operator: over the socket in the home of a program. */
export class IpcClient {
  readonly #socket: Socket
  readonly #waiting: ((line: string) => void)[] = []
  #rest = ''

  constructor(path: string) {
    this.#socket = createConnection(path)
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text: string) => {
      const lines = `${this.#rest}${text}`.split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#waiting.shift()?.(line)
    })
  }

  /** The whole response. One at a time, so that answers are in the order of questions. */
  ask(method: string, params: readonly unknown[]): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject)
      this.#waiting.push((line) => {
        this.#socket.off('error', reject)
        resolve(line)
      })
      this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
    })
  }

  /** The result; an error is thrown. */
  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = JSON.parse(await this.ask(method, params)) as {
      result: T
      error?: { message: string }
    }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  close(): void {
    this.#socket.destroy()
  }
}
