import { call } from '../rpc/client.ts'
import { trustText } from '../rpc/proof.ts'
import type { Block } from '../rpc/types.ts'
import { createStore } from '../state/store.ts'
import { type BlockSummary, RecentBlocks } from './blocks.ts'
import { ProvenHeads } from './provenHeads.ts'
import { type HeadListener, HeadSocket } from './socket.ts'

/** How the page hears of new blocks. */
export type Connection = 'connecting' | 'live' | 'polling' | 'lost'

export const recentBlocks = createStore<readonly BlockSummary[]>([])
export const connection = createStore<Connection>('connecting')
/** Why the node does not tell of new blocks over WebSocket, if it said so. */
export const refusal = createStore<string | undefined>(undefined)
/** Changes when blocks that were shown are no longer of the chain, so that all data is requested again. */
export const chainChanges = createStore(0)
/** The number of the newest block; undefined until it is known. */
export const head = createStore<number | undefined>(undefined)

/** How often the head is polled where WebSocket does not come through. */
const pollMs = 3000
const hourSeconds = 3600

const blocks = new RecentBlocks(
  {
    newest: async () => {
      const { number, hash } = await call<Pick<Block, 'number' | 'hash'>>(
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      return { number: Number(number), hash }
    },
    blocks: (numbers) =>
      Promise.all(numbers.map((number) => call<Block | null>('eth_getBlockByNumber', number, false))),
  },
  (list) => {
    recentBlocks.set(list)
    head.set(list.at(-1)?.number)
  },
  () => chainChanges.set(chainChanges.get() + 1),
)

/** Asks where the chain is, which is how what was missed is found. */
export const catchUp = (): Promise<void> => blocks.catchUp()

/** Fetches the blocks of the last hour, older ones piece by piece, while the page has nothing better to do. */
export const loadLastHour = async (): Promise<void> => {
  const notBefore = Date.now() / 1000 - hourSeconds
  while (!document.hidden && (await blocks.extend(notBefore)));
}

let poll: ReturnType<typeof setInterval> | undefined

const stopPolling = (): void => {
  clearInterval(poll)
  poll = undefined
}

const startPolling = (): void => {
  poll ??= setInterval(() => {
    if (document.hidden) return
    catchUp().then(
      () => connection.get() !== 'live' && connection.set('polling'),
      () => connection.set('lost'),
    )
  }, pollMs)
}

/** Follows the chain for as long as somebody looks at the page. */
export const startLive = (): void => {
  const listener: HeadListener = {
    onOpen: () => {
      stopPolling()
      refusal.set(undefined)
      connection.set('live')
      catchUp().catch(() => {})
    },
    onHead: ({ number, hash }) => void blocks.announce(Number(number), hash).catch(() => {}),
    onClose: (reason) => {
      refusal.set(reason)
      // A node that rejects a call does answer.
      connection.set(reason === undefined ? 'lost' : 'polling')
      startPolling()
    },
  }
  const trust = trustText()
  const socket = trust === undefined ? new HeadSocket(listener) : new ProvenHeads(trust, listener)
  const follow = (): void => {
    if (document.hidden) {
      stopPolling()
      socket.stop()
    } else socket.start()
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  // The first blocks need not wait for the socket.
  catchUp().catch(() => {})
}
