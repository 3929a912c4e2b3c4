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
  readonly accounts: readonly string[]
  stop(): Promise<void>
}

export interface LightStage {
  readonly chain: LightChain
  readonly isProven: boolean
  open(): Client
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
  const [trust] = (await openBelieving(url).request('perihelion_lightBlock', ['0x3'])) as readonly [Trust]
  return { url, trust, token, accounts: senders.map(({ address }) => address), stop: () => engine.stop() }
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
        const stage = { chain, isProven: true, open: () => openProven(chain.url, chain.trust) }
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
