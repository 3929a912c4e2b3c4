import type { StackTrace } from '../../solidity/stackTrace.ts'
import type { Paint } from '../output/paint.ts'
import {
  type ActivityRenderer,
  type BlockActivity,
  contractText,
  type FailedCallActivity,
  formatCoins,
  formatTime,
  stackText,
  type TransactionActivity,
} from './render.ts'
import type { ConsoleLine } from './trace.ts'

/** The width of the first word of a line, with the room after it. */
const wordWidth = 7

/** Writes a line for each event, as wide as the terminal allows. Hashes of transactions are whole, to be copied. */
export class EventLines implements ActivityRenderer {
  readonly #write: (text: string) => void
  readonly #paint: Paint
  readonly #columns: () => number

  constructor(write: (text: string) => void, paint: Paint, columns: () => number) {
    this.#write = write
    this.#paint = paint
    this.#columns = columns
  }

  block(block: BlockActivity, transactions: readonly TransactionActivity[]): void {
    const { number, hash, gasUsed, timestamp, count } = block
    const plural = count === 1 ? 'transaction' : 'transactions'
    const content = count === 0 ? 'empty' : `${count} ${plural}, gas ${gasUsed}`
    const details = `${formatTime(timestamp).replace('T', ' ')}  ${shorten(hash)}  ${content}`
    const lines = [
      `${this.#paint('cyan', 'block')}  ${number}  ${this.#paint('dim', details)}`,
      ...transactions.flatMap((transaction) => this.#transaction(transaction)),
    ]
    this.#write(`${lines.join('\n')}\n`)
  }

  failedCall({ method, from, to, call, failure, stack, lines }: FailedCallActivity): void {
    const indent = ' '.repeat(wordWidth + 2)
    const ends = `${from === undefined ? 'nobody' : shorten(from)} → ${to === undefined ? 'a new contract' : shorten(to)}`
    const called = call === undefined ? '' : `  ${contractText(call)}`
    const text = [
      `  ${this.#paint('red', 'failed')} ${method}  ${this.#paint('dim', `${ends}${called}`)}`,
      `${indent}${this.#paint('red', contractText(failure))}`,
      ...this.#stack(stack),
      ...lines.map((line) => this.#consoleLine(line)),
    ]
    this.#write(`${text.join('\n')}\n`)
  }

  call(lines: readonly ConsoleLine[]): void {
    if (lines.length > 0) this.#write(`${lines.map((line) => this.#consoleLine(line)).join('\n')}\n`)
  }

  reverted(to: number): void {
    this.#write(`${this.#paint('cyan', 'block')}  back to ${to}\n`)
  }

  #transaction(transaction: TransactionActivity): string[] {
    const { hash, from, to, created, value, call, gasUsed, failure, stack, lines } = transaction
    // The address of a new contract is whole, because it is what the next call needs.
    const target =
      created === undefined ? (to === undefined ? 'a new contract' : shorten(to)) : `new ${created}`
    const called = call === undefined ? '' : `  ${contractText(call)}`
    const worth = value === 0n ? '' : `  value ${formatCoins(value)}`
    const details = `${shorten(from)} → ${target}${worth}${called}  gas ${gasUsed}`
    const word = failure === undefined ? 'ok' : 'failed'
    const colour = failure === undefined ? 'green' : 'red'
    const indent = ' '.repeat(wordWidth + 2)
    const first = `  ${this.#paint(colour, word)}${' '.repeat(wordWidth - word.length)}${hash}`
    const isOneLine = indent.length + hash.length + 2 + details.length <= this.#columns()
    const painted = this.#paint('dim', details)
    return [
      ...(isOneLine ? [`${first}  ${painted}`] : [first, `${indent}${painted}`]),
      ...(failure === undefined ? [] : [`${indent}${this.#paint('red', contractText(failure))}`]),
      ...this.#stack(stack),
      ...lines.map((line) => this.#consoleLine(line)),
    ]
  }

  #stack(stack: StackTrace | undefined): string[] {
    const indent = ' '.repeat(wordWidth + 2)
    return stackText(stack, this.#columns() - indent.length).map(
      (line) => `${indent}${this.#paint('dim', line)}`,
    )
  }

  #consoleLine({ contract, text }: ConsoleLine): string {
    return `  log    ${this.#paint('dim', `${shorten(contract)}:`)} ${contractText(text)}`
  }
}

/** Returns the two ends of a hash or an address. */
const shorten = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`
