import type { Logger } from '../../base/logging/log.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Paint } from '../output/paint.ts'
import { formatTime } from './render.ts'

/** Blocks that come faster, as while a chain is synced, share a line. */
const minIntervalMs = 1000

/** A block that is reported. */
interface ShownHead {
  readonly header: Header
  readonly transactions: number
  /** How many blocks came since the last one that was reported, this one among them. */
  readonly blocks: number
}

/**
 * Calls a function for each new block, or for the newest one in a second, while `isShown`. The returned function ends it;
 * the chain is not read after that.
 */
export const watchHeads = (
  chain: Pick<Chain, 'events' | 'blocks'>,
  isShown: () => boolean,
  onHead: (head: ShownHead) => void,
): (() => void) => {
  let toldAt = Number.NEGATIVE_INFINITY
  let told: number | undefined
  let waiting: NodeJS.Timeout | undefined
  const tell = (number: number): void => {
    waiting = undefined
    toldAt = performance.now()
    const header = chain.blocks.header(number)
    if (header === undefined) return
    const blocks = told === undefined ? 1 : Math.max(1, number - told)
    told = number
    onHead({ header, transactions: chain.blocks.transactionCount(number) ?? 0, blocks })
  }
  let newest = 0
  const stopListening = chain.events.onHead((change) => {
    newest = change.to
    if (!isShown()) return
    if (change.kind === 'reverted') told = change.to
    const wait = toldAt + minIntervalMs - performance.now()
    if (wait <= 0) return tell(newest)
    waiting ??= setTimeout(() => tell(newest), wait).unref()
  })
  return () => {
    stopListening()
    clearTimeout(waiting)
  }
}

/** Writes a line for each new block of a chain whose transactions are not for this terminal. */
export const showHeads = (
  chain: Pick<Chain, 'events' | 'blocks'>,
  write: (text: string) => void,
  paint: Paint,
  isShown: () => boolean,
): (() => void) =>
  watchHeads(chain, isShown, ({ header, transactions, blocks }) => {
    const further = blocks === 1 ? '' : `, ${blocks} blocks further`
    const content = transactions === 1 ? '1 transaction' : `${transactions} transactions`
    const details = `${formatTime(header.timestamp).replace('T', ' ')}  ${content}, gas ${header.gasUsed}${further}`
    write(`${paint('cyan', 'block')}  ${header.number}  ${paint('dim', details)}\n`)
  })

/** The same for the log. */
export const logHeads = (
  chain: Pick<Chain, 'events' | 'blocks'>,
  log: Logger,
  isShown: () => boolean,
): (() => void) =>
  watchHeads(chain, isShown, ({ header, transactions, blocks }) =>
    log.info(
      {
        number: Number(header.number),
        timestamp: Number(header.timestamp),
        transactions,
        gasUsed: Number(header.gasUsed),
        ...(blocks === 1 ? {} : { blocks }),
      },
      'block',
    ),
  )
