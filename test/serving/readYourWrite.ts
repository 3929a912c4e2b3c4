import { eventually } from '../support/eventually.ts'
import { alice, type Connection, counterCode } from './servingNode.ts'

interface Receipt {
  readonly contractAddress: string
  readonly blockNumber: string
  readonly blockHash: string
}

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T // never empty

export const deployCounter = async (connection: Connection): Promise<string> => {
  const hash = await connection.call('eth_sendTransaction', { from: alice, data: counterCode })
  let receipt: Receipt | null = null
  await eventually(async () => {
    receipt = await connection.call<Receipt | null>('eth_getTransactionReceipt', hash)
    return receipt !== null
  })
  return (receipt as unknown as Receipt).contractAddress
}

/** What a connection shows of a block that its client has seen elsewhere. */
const look = async (connection: Connection, contract: string, { blockHash }: Receipt) => {
  const [number, count, nonce, logs] = await Promise.all([
    connection.call('eth_blockNumber'),
    connection.call('eth_call', { to: contract, data: '0x01' }, 'latest'),
    connection.call('eth_getTransactionCount', alice, 'latest'),
    connection.call<readonly { data: string }[]>('eth_getLogs', { blockHash }),
  ])
  return { number: Number(number), count: Number(count), nonce: Number(nonce), logged: Number(logs[0]?.data) }
}

/**
 * Sends a transaction on one connection and looks at the chain on all others, as soon as any of them shows its block: by the
 * number of the head while it is being sent, and by its receipt. Returns what was seen that is older.
 */
export const findStaleReads = async (
  connections: readonly Connection[],
  contract: string,
  rounds: number,
): Promise<readonly string[]> => {
  const stale: string[] = []
  const nonceBefore = Number(await connections[0]?.call('eth_getTransactionCount', alice, 'latest'))
  const countBefore = Number(await connections[0]?.call('eth_call', { to: contract, data: '0x01' }, 'latest'))
  let head = Number(await connections[0]?.call('eth_blockNumber'))
  for (let round = 1; round <= rounds; round++) {
    const sending = pick(connections).call('eth_sendTransaction', { from: alice, to: contract })
    const early = pick(connections)
    while (Number(await early.call('eth_blockNumber')) === head);
    head++
    const heads = await Promise.all(connections.map((connection) => connection.call('eth_blockNumber')))
    for (const number of heads) if (Number(number) < head) stale.push(`round ${round}: head ${number}`)
    const hash = await sending
    const receipt = await pick(connections).call<Receipt>('eth_getTransactionReceipt', hash)
    if (receipt === null) {
      stale.push(`round ${round}: no receipt`)
      continue
    }
    const wanted = {
      number: head,
      count: countBefore + round,
      nonce: nonceBefore + round,
      logged: countBefore + round,
    }
    for (const seen of await Promise.all(
      connections.map((connection) => look(connection, contract, receipt)),
    ))
      if (JSON.stringify(seen) !== JSON.stringify(wanted))
        stale.push(`round ${round}: ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`)
  }
  return stale
}
