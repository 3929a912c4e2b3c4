import type { WriteStream } from 'node:tty'
import { printable } from '../../../base/encoding/printable.ts'
import type { TestnetNodeInfo } from './node.ts'

interface Row {
  readonly height: string
  readonly hash: string
  readonly peers: string
}

const refreshMs = 500
const callTimeoutMs = 2000

/** A live table of a network's nodes: heights, hashes, peers. */
export class TestnetTable {
  readonly #out: WriteStream
  readonly #nodes: readonly TestnetNodeInfo[]
  readonly #timer: NodeJS.Timeout
  #isDrawn = false
  #isAsking = false

  constructor(out: WriteStream, nodes: readonly TestnetNodeInfo[]) {
    this.#out = out
    this.#nodes = nodes
    this.#timer = setInterval(() => void this.#refresh(), refreshMs)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #refresh(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const rows = await Promise.all(this.#nodes.map(fetchRow))
    this.#isAsking = false
    const lines = [
      'node  height    peers  hash                http',
      ...rows.map(({ height, hash, peers }, index) =>
        [
          `${index}`.padEnd(6),
          height.padEnd(10),
          peers.padEnd(7),
          hash.padEnd(20),
          this.#nodes[index]?.http,
        ].join(''),
      ),
    ]
    if (this.#isDrawn) this.#out.moveCursor(0, -lines.length)
    this.#isDrawn = true
    for (const line of lines) {
      this.#out.clearLine(0)
      this.#out.write(`${printable(line)}\n`)
    }
  }
}

const fetchRow = async ({ http }: TestnetNodeInfo): Promise<Row> => {
  try {
    const reply = await fetch(http, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([
        { jsonrpc: '2.0', id: 0, method: 'eth_getHeaderByNumber', params: ['latest'] },
        { jsonrpc: '2.0', id: 1, method: 'net_peerCount', params: [] },
      ]),
      signal: AbortSignal.timeout(callTimeoutMs),
    })
    const [block, peers] = (await reply.json()) as {
      readonly result?: { readonly number: string; readonly hash: string } & number
    }[]
    return {
      height: `${Number(block?.result?.number)}`,
      hash: `${block?.result?.hash.slice(0, 18)}`,
      peers: `${peers?.result}`,
    }
  } catch {
    return { height: 'down', hash: '', peers: '' }
  }
}
