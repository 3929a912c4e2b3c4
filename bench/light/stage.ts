import { lazy } from '../../src/base/async/lazy.ts'
import { startEngine } from '../network/engines.ts'
import { connect } from '../support/load/connection.ts'
import type { Side } from '../support/run/part.ts'
import { prepare } from '../support/transactions/workload.ts'
import { type Client, openBelieving, openProven, type Trust } from './clients.ts'

/** What both clients ask. */
export interface LightChain {
  readonly url: string
  readonly trust: Trust
  readonly token: string
  /** A block with transfers of the token. */
  readonly block: string
  readonly accounts: readonly string[]
  stop(): Promise<void>
}

export interface LightStage {
  readonly chain: LightChain
  readonly isProven: boolean
  /** Opens a client that asks for newer blocks no more often than this. */
  open(refreshMs: number): Client
}

/** How many accounts have coins and tokens, each by a transaction of its own. */
const accountCount = 100
const blockTimeMs = 500

const startChain = async (): Promise<LightChain> => {
  const engine = await startEngine(4, blockTimeMs)
  const url = `http://127.0.0.1:${engine.port}`
  const connection = await connect(engine.port)
  const { senders, token } = await prepare(connection, accountCount)
  connection.close()
  const client = openBelieving(url)
  const [trust] = (await client.request('perihelion_lightBlock', ['0x3'])) as readonly [Trust]
  const logs = (await client.request('eth_getLogs', { address: token, fromBlock: '0x0' })) as readonly {
    readonly blockNumber: string
  }[]
  const block = logs.at(-1)?.blockNumber ?? '0x1'
  return {
    url,
    trust,
    token,
    block,
    accounts: senders.map(({ address }) => address),
    stop: () => engine.stop(),
  }
}

/** A client that proves, and one that believes, before the same network of four validators. */
export const lightSides = (): readonly Side<LightStage>[] => {
  const start = lazy(startChain)
  return [
    {
      name: 'perihelion',
      kind: 'ours',
      open: async () => {
        const chain = await start()
        const stage = {
          chain,
          isProven: true,
          open: (refreshMs: number) => openProven(chain.url, chain.trust, refreshMs),
        }
        return { stage, close: () => chain.stop() }
      },
    },
    {
      name: 'unproven',
      kind: 'floor',
      open: async () => {
        const chain = await start()
        const stage = { chain, isProven: false, open: () => openBelieving(chain.url) }
        return { stage, close: async () => {} }
      },
    },
  ]
}
