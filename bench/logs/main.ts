import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { BlockReader } from '../../src/store/blockReader.ts'
import { indexSize } from '../support/indexSize.ts'
import { median } from '../support/median.ts'
import { deployment, logsPerCall, transfers, transferTopic } from './contract.ts'
import { type Peer, peerNames, startPeer } from './peers.ts'

/**
 * `npm run bench -- logs`: BLOCKS (2,000) blocks of 100 Transfer logs, made over RPC by each node, and searches over them
 * by one client, for SECONDS (4) each. geth and anvil are measured too where they are on the path or in
 * GETH and ANVIL.
 */
const blocks = Number(process.env.BLOCKS ?? 2_000)
const seconds = Number(process.env.SECONDS ?? 4)
const rare = 0xabcdefn

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const topicOf = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

interface Receipt {
  readonly contractAddress: string
  readonly blockNumber: string
  readonly logs: readonly unknown[]
}

const receiptOf = async ({ client }: Peer, hash: string): Promise<Receipt> => {
  for (;;) {
    // geth answers with an error while it indexes, which it does right after its start.
    const receipt = await client
      .call<Receipt | null>('eth_getTransactionReceipt', hash)
      .catch((error: Error) => {
        if (error.message.includes('indexing is in progress')) return null
        throw error
      })
    if (receipt !== null) return receipt
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Gives the contract, and its first and last block. */
const fill = async (peer: Peer) => {
  const { client } = peer
  const [from] = await client.call<string[]>('eth_accounts')
  const send = async (transaction: object): Promise<Receipt> => {
    const hash = await client.call<string>('eth_sendTransaction', {
      from,
      gas: hex(2_000_000),
      ...transaction,
    })
    return receiptOf(peer, hash)
  }
  const { contractAddress: to } = await send({ data: deployment() })
  let first = 0
  let last = 0
  for (let call = 0; call < blocks; call++) {
    const isRare = call % Math.ceil(blocks / 4) === 7
    const { blockNumber, logs } = await send({ to, data: transfers(call, isRare ? rare : undefined) })
    if (logs.length !== logsPerCall + Number(isRare)) throw new Error(`a block has ${logs.length} logs`)
    first ||= Number(blockNumber)
    last = Number(blockNumber)
  }
  return { address: to, first, last }
}

const measure = async ({ client }: Peer, filter: object): Promise<string> => {
  const bytes = await client.drain('eth_getLogs', filter)
  const times: number[] = []
  const start = performance.now()
  while (performance.now() - start < seconds * 1000) {
    const before = performance.now()
    if ((await client.drain('eth_getLogs', filter)) !== bytes)
      throw new Error('an answer is of another length')
    times.push(performance.now() - before)
  }
  const rate = (times.length * 1000) / (performance.now() - start)
  return `${rate.toPrecision(4).padStart(9)} /s ${median(times).toFixed(2).padStart(9)} ms ${String(bytes).padStart(11)} B`
}

const rows = ({ address, first, last }: Awaited<ReturnType<typeof fill>>) => {
  const middle = Math.floor((first + last) / 2)
  const all = { fromBlock: hex(first), toBlock: hex(last) }
  return {
    'one block': { address, fromBlock: hex(middle), toBlock: hex(middle) },
    '100 blocks': { address, fromBlock: hex(middle), toBlock: hex(Math.min(last, middle + 99)) },
    'all blocks by address': { ...all, address },
    'rare topic over all': { ...all, topics: [topicOf(rare)] },
    'rare topic and address': { ...all, address, topics: [topicOf(rare)] },
    'transfers to one address': { ...all, address, topics: [topicOf(transferTopic), null, topicOf(5_001n)] },
  }
}

const reportIndex = async (home: string): Promise<void> => {
  const environment = new LmdbEnvironment({ path: join(home, 'data', 'chain.mdb'), readOnly: true })
  process.stdout.write(`${indexSize(environment, new BlockReader(environment))}\n`)
  await environment.close()
}

for (const name of peerNames) {
  const peer = await startPeer(name)
  if (peer === undefined) continue
  try {
    const started = performance.now()
    const chain = await fill(peer)
    const took = ((performance.now() - started) / 1000).toFixed(1)
    process.stdout.write(`${name}: ${blocks} blocks of ${logsPerCall} logs in ${took} s\n`)
    for (const [row, filter] of Object.entries(rows(chain)))
      process.stdout.write(`  ${row.padEnd(26)} ${await measure(peer, filter)}\n`)
  } finally {
    await peer.close()
  }
  if (name === 'perihelion') await reportIndex(peer.home)
  rmSync(peer.home, { recursive: true, force: true })
}
process.exit(0)
