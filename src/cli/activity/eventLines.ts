import { printable } from '../../base/encoding/printable.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'
import type { Paint } from '../output/paint.ts'
import {
  type ActivityRenderer,
  type BlockActivity,
  type CallActivity,
  contractText,
  fold,
  formatCoins,
  formatTime,
  pack,
  type RejectedActivity,
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

  call({ method, tool, from, to, call, failure, stack, lines }: CallActivity): void {
    const ends = `${from === undefined ? 'nobody' : shorten(from)} → ${to === undefined ? 'a new contract' : shorten(to)}`
    const details = [ends, call, tool && `by ${tool}`]
    this.#write(`${this.#event({ title: method, details, failure, stack, lines }).join('\n')}\n`)
  }

  rejected({ hash, from, to, call, nonce, reason }: RejectedActivity): void {
    const title = hash ?? 'a transaction that cannot be read'
    const sender = from === undefined ? 'an unknown sender' : shorten(from)
    const ends = hash && `${sender} → ${to === undefined ? 'a new contract' : shorten(to)}`
    const details = [ends, call, nonce === undefined ? undefined : `nonce ${nonce}`]
    const failure = `rejected: ${reason}`
    this.#write(`${this.#event({ title, details, failure, stack: undefined, lines: [] }).join('\n')}\n`)
  }

  reverted(to: number): void {
    this.#write(`${this.#paint('cyan', 'block')}  back to ${to}\n`)
  }

  /** The width of what belongs to an event. */
  get #width(): number {
    return Math.max(40, this.#columns() - indent.length)
  }

  #transaction(transaction: TransactionActivity): readonly string[] {
    const { hash, from, to, created, value, call, gasUsed, failure, stack, lines } = transaction
    // The address of a new contract is whole, because it is what the next call needs.
    const target =
      created === undefined ? (to === undefined ? 'a new contract' : shorten(to)) : `new ${created}`
    const worth = value === 0n ? undefined : `value ${formatCoins(value)}`
    const details = [`${shorten(from)} → ${target}`, worth, call, `gas ${gasUsed}`]
    return this.#event({ title: hash, details, failure, stack, lines })
  }

  #event({ title, details, failure, stack, lines }: ShownEvent): readonly string[] {
    const [word, colour] = failure === undefined ? (['ok', 'green'] as const) : (['failed', 'red'] as const)
    const told = details.filter((one) => one !== undefined).map((one) => printable(one))
    const width = this.#width
    const isOneLine = title.length + 2 + told.join('  ').length <= width
    const first = `  ${this.#paint(colour, word)}${' '.repeat(wordWidth - word.length)}${title}`
    const dim = (line: string): string => this.#paint('dim', line)
    return [
      isOneLine && told.length > 0 ? `${first}  ${dim(told.join('  '))}` : first,
      ...[
        ...(isOneLine ? [] : pack(told, width).map(dim)),
        ...(failure === undefined
          ? []
          : fold(contractText(failure), width).map((line) => this.#paint('red', line))),
        ...stackText(stack, width).map(dim),
      ].map((line) => `${indent}${line}`),
      ...lines.flatMap((line) => this.#consoleLine(line)),
    ]
  }

  #consoleLine({ contract, name, text }: ConsoleLine): readonly string[] {
    const head = `${name === undefined ? shorten(contract) : contractText(name).slice(0, maxName)}:`
    const [first = '', ...more] = fold(`${head} ${contractText(text)}`, this.#width)
    return [
      `  log    ${this.#paint('dim', head)}${first.slice(head.length)}`,
      ...more.map((line) => `${indent}${line}`),
    ]
  }
}

/** What is shown of the name of a contract. */
const maxName = 32

/** Where what belongs to an event begins. */
const indent = ' '.repeat(wordWidth + 2)

interface ShownEvent {
  /** The hash or the method. */
  readonly title: string
  readonly details: readonly (string | undefined)[]
  readonly failure: string | undefined
  readonly stack: StackTrace | undefined
  readonly lines: readonly ConsoleLine[]
}

/** Returns the two ends of a hash or an address. */
const shorten = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`
