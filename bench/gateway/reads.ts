import { type Connection, connect, encodeRequest } from '../support/connection.ts'

/** The same reads from two servers in turn, over a few connections that are kept. */

export interface Read {
  readonly name: string
  /** How many times faster than the chain's own server it should be. */
  readonly target: number
  readonly method: string
  readonly params: readonly unknown[]
}

export interface Rate {
  readonly read: Read
  readonly ours: number
  readonly theirs: number
}

const loop = async (connection: Connection, request: Buffer, until: number): Promise<number> => {
  let count = 0
  for (; performance.now() < until; count++) {
    const answer = await connection.exchange(request)
    if (count === 0 && answer.includes('"error"')) throw new Error(answer.slice(0, 300))
  }
  return count
}

/** Requests a second. */
const measure = async (
  url: string,
  { method, params }: Read,
  seconds: number,
  width: number,
): Promise<number> => {
  const port = Number(new URL(url).port)
  const request = encodeRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const connections = await Promise.all(Array.from({ length: width }, () => connect(port)))
  try {
    await Promise.all(connections.map((connection) => loop(connection, request, performance.now() + 200)))
    const started = performance.now()
    const counts = await Promise.all(
      connections.map((connection) => loop(connection, request, started + seconds * 1000)),
    )
    const total = counts.reduce((sum, count) => sum + count, 0)
    return total / ((performance.now() - started) / 1000)
  } finally {
    for (const connection of connections) connection.close()
  }
}

export const compareReads = async (
  ours: string,
  theirs: string,
  reads: readonly Read[],
  seconds: number,
): Promise<Rate[]> => {
  const rates: Rate[] = []
  for (const read of reads) {
    const mine = await measure(ours, read, seconds, 4)
    const other = await measure(theirs, read, seconds, 4)
    rates.push({ read, ours: mine, theirs: other })
  }
  return rates
}
