import type { Chain } from '../../chain/port/chain.ts'
import type { Paint } from '../output/paint.ts'
import { formatTime } from './render.ts'

/** Blocks that come faster, as while a chain is synced, share a line. */
const minIntervalMs = 1000

/**
 * Writes a line for each new block of a chain whose transactions are not for this terminal, while `isShown`. The returned
 * function ends it; the chain is not read after that.
 */
export const showHeads = (
  chain: Pick<Chain, 'events' | 'blocks'>,
  write: (text: string) => void,
  paint: Paint,
  isShown: () => boolean,
): (() => void) => {
  let writtenAt = Number.NEGATIVE_INFINITY
  let shown: number | undefined
  let waiting: NodeJS.Timeout | undefined
  const show = (number: number): void => {
    waiting = undefined
    writtenAt = performance.now()
    const header = chain.blocks.header(number)
    if (header === undefined) return
    const count = chain.blocks.transactionCount(number) ?? 0
    const skipped = shown === undefined || number - shown <= 1 ? '' : `, ${number - shown} blocks further`
    const content = count === 1 ? '1 transaction' : `${count} transactions`
    const details = `${formatTime(header.timestamp).replace('T', ' ')}  ${content}, gas ${header.gasUsed}${skipped}`
    shown = number
    write(`${paint('cyan', 'block')}  ${number}  ${paint('dim', details)}\n`)
  }
  let newest = 0
  const stopListening = chain.events.onHead((change) => {
    newest = change.to
    if (!isShown()) return
    if (change.kind === 'reverted') shown = change.to
    const wait = writtenAt + minIntervalMs - performance.now()
    if (wait <= 0) return show(newest)
    waiting ??= setTimeout(() => show(newest), wait).unref()
  })
  return () => {
    stopListening()
    clearTimeout(waiting)
  }
}
