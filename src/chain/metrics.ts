import { Counter, Gauge, type Registry } from 'prom-client'
import type { Chain } from './port/chain.ts'

/** A scrape after a long silence counts at most this many blocks, so that it stays short. */
const maxCounted = 100_000

interface Totals {
  blocks: number
  transactions: number
  gas: number
}

/** Counts what blocks hold since the start, each block once, when somebody asks. */
const countBlocks = (chain: Chain): (() => Totals) => {
  const totals: Totals = { blocks: 0, transactions: 0, gas: 0 }
  let counted = chain.head().number
  return () => {
    const head = chain.head().number
    for (let number = Math.max(counted, head - maxCounted) + 1; number <= head; number++) {
      totals.blocks++
      totals.transactions += chain.blocks.transactionCount(number) ?? 0
      totals.gas += Number(chain.blocks.header(number)?.gasUsed ?? 0n)
    }
    // A head that was taken back is counted from again.
    counted = head
    return totals
  }
}

/** Where the chain stands and what it carries, read when somebody asks; NaN is what cannot be known now. */
export const measureChain = (registry: Registry, chain: Chain): void => {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number | undefined | Promise<number | undefined>) =>
    new Gauge({
      name: `perihelion_${name}`,
      help,
      registers,
      async collect() {
        this.set((await read()) ?? Number.NaN)
      },
    })
  gauge('head_number', 'Height of the newest block', () => chain.head().number)
  gauge('head_timestamp_seconds', 'Time of the newest block', () => chain.head().time)
  gauge('head_gas_limit', 'Gas that the newest block could hold', () => {
    const header = chain.blocks.header(chain.head().number)
    return header && Number(header.gasLimit)
  })
  gauge('head_base_fee_wei', 'Base fee of the newest block', () => {
    const fee = chain.blocks.header(chain.head().number)?.baseFeePerGas
    return fee === undefined ? undefined : Number(fee)
  })
  gauge('behind_blocks', 'Blocks that are known of and not here yet', () =>
    orUndefined(async () => {
      const progress = await chain.network.syncing()
      return progress === undefined ? 0 : progress.highestBlock - progress.currentBlock
    }),
  )
  gauge('peers', 'Nodes that the engine is connected to', () => orUndefined(() => chain.network.peerCount()))

  const totals = countBlocks(chain)
  const counter = (name: keyof Totals, help: string) =>
    new Counter({
      name: `perihelion_block_${name}_total`,
      help,
      registers,
      collect() {
        const total = totals()[name]
        this.reset()
        this.inc(total)
      },
    })
  counter('blocks', 'Blocks since the start')
  counter('transactions', 'Transactions in blocks since the start')
  counter('gas', 'Gas used by blocks since the start')
}

/** An engine that does not answer is no reason to give no figures at all. */
const orUndefined = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await read()
  } catch {
    return undefined
  }
}
