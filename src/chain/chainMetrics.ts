import { Counter, Gauge, type Registry } from 'prom-client'
import { orUndefined } from '../base/async/maybePromise.ts'
import { forksAhead } from './config/forksAhead.ts'
import type { Chain } from './port/chain.ts'
import { blocksBehind } from './port/network.ts'

/** The largest number of blocks that one scrape counts, so that a scrape after a long pause stays short. */
const maxCounted = 100_000

interface Totals {
  blocks: number
  transactions: number
  gas: number
}

/** Returns a function that counts the contents of all blocks since the start, each block once. */
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
    // Reverted blocks are counted again when they are replaced.
    counted = head
    return totals
  }
}

/**
 * Registers the metrics of the chain, which are read at each scrape; 0 if a value is not known now: a comparison with
 * NaN is never true, and an alert on it never fires.
 */
export const registerChainMetrics = (registry: Registry, chain: Chain): void => {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number | undefined | Promise<number | undefined>) =>
    new Gauge({
      name: `perihelion_${name}`,
      help,
      registers,
      async collect() {
        this.set((await read()) ?? 0)
      },
    })
  gauge('head_number', 'Height of the newest block', () => chain.head().number)
  gauge('head_timestamp_seconds', 'Time of the newest block', () => chain.head().time)
  gauge('head_gas_limit', 'Gas limit of the newest block', () => {
    const header = chain.blocks.header(chain.head().number)
    return header && Number(header.gasLimit)
  })
  gauge('head_base_fee_wei', 'Base fee of the newest block', () => {
    const fee = chain.blocks.header(chain.head().number)?.baseFeePerGas
    return fee === undefined ? undefined : Number(fee)
  })
  gauge('behind_blocks', 'Blocks of the network that this node lacks', () =>
    orUndefined(async () => blocksBehind(await chain.network.syncing())),
  )
  new Gauge({
    name: 'perihelion_fork_time_seconds',
    help: 'Time from which the rules of a scheduled fork hold, for those ahead; known is 0 where this version stops before it',
    labelNames: ['fork', 'known'],
    registers,
    collect() {
      this.reset()
      for (const { name, by, at, isKnown } of forksAhead(chain.config, chain.head()))
        if (by === 'time') this.set({ fork: name, known: isKnown ? '1' : '0' }, Number(at))
    },
  })
  gauge('peers', 'Peers of the engine', () => orUndefined(() => chain.network.peerCount()))

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
