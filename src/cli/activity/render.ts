import { printable, printableLines } from '../../base/encoding/printable.ts'
import type { Logger } from '../../base/logging/log.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'
import { type Paint, paintIf } from '../output/paint.ts'
import type { ConsoleLine } from './trace.ts'

export interface BlockActivity {
  readonly number: number
  /** The hash as DATA, and so all others here. */
  readonly hash: string
  readonly gasUsed: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly baseFee: bigint | undefined
  /** The number of transactions. */
  readonly count: number
}

export interface TransactionActivity {
  readonly hash: string
  readonly from: string
  readonly to: string | undefined
  /** The contract that it created. */
  readonly created: string | undefined
  readonly value: bigint
  /** The function that it called: its name and arguments, or its selector. */
  readonly call: string | undefined
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly logCount: number
  /** Why it failed; undefined if it succeeded. */
  readonly failure: string | undefined
  /** Where it failed in the source, if that is known. */
  readonly stack: StackTrace | undefined
  readonly lines: readonly ConsoleLine[]
}

export interface FailedCallActivity extends Pick<TransactionActivity, 'to' | 'call' | 'stack' | 'lines'> {
  readonly method: string
  readonly from: string | undefined
  readonly failure: string
}

/** Shows what happened. `transactions` is empty for a block that has too many to show. */
export interface ActivityRenderer {
  block(block: BlockActivity, transactions: readonly TransactionActivity[]): void
  /** Shows a call or an estimate that failed. */
  failedCall(failed: FailedCallActivity): void
  /** Shows what contracts wrote in a call. */
  call(lines: readonly ConsoleLine[]): void
  /** Tells that the blocks above a height are gone. */
  reverted(to: number): void
}

/** Writes lines for people. */
export class TerminalRenderer implements ActivityRenderer {
  readonly #write: (text: string) => void
  readonly #paint: Paint

  constructor(write: (text: string) => void, hasColours: boolean) {
    this.#write = write
    this.#paint = paintIf(hasColours)
  }

  block(block: BlockActivity, transactions: readonly TransactionActivity[]): void {
    const { number, hash, gasUsed, timestamp, count } = block
    const time = formatTime(timestamp)
    const plural = count === 1 ? 'transaction' : 'transactions'
    const lines = [
      `${this.#paint('cyan', `Block ${number}`)} ${hash}`,
      this.#paint('dim', `  ${time}  ${count} ${plural}, gas ${gasUsed}`),
      ...transactions.flatMap((transaction) => this.#transaction(transaction)),
    ]
    this.#write(`${lines.join('\n')}\n`)
  }

  failedCall({ method, from, to, call, failure, stack, lines }: FailedCallActivity): void {
    const called = call === undefined ? '' : `  ${contractText(call)}`
    const ends = `from ${from ?? 'nobody'} to ${to ?? 'a new contract'}${called}`
    const text = [
      `  ${method}  ${this.#paint('red', contractText(failure))}`,
      this.#paint('dim', `    ${ends}`),
      ...stackText(stack).map((line) => `    ${this.#paint('dim', line)}`),
      ...lines.map((line) => this.#consoleLine(line)),
    ]
    this.#write(`${text.join('\n')}\n`)
  }

  call(lines: readonly ConsoleLine[]): void {
    if (lines.length > 0) this.#write(`${lines.map((line) => this.#consoleLine(line)).join('\n')}\n`)
  }

  reverted(to: number): void {
    this.#write(`${this.#paint('cyan', `Back to block ${to}`)}\n`)
  }

  #transaction(transaction: TransactionActivity): string[] {
    const { hash, from, to, created, value, call, gasUsed, gasLimit, failure, stack, lines } = transaction
    const target = created === undefined ? `to ${to ?? 'a new contract'}` : `created ${created}`
    const called = call === undefined ? '' : `  ${contractText(call)}`
    const worth = value === 0n ? '' : `  value ${formatCoins(value)}`
    const status =
      failure === undefined ? this.#paint('green', 'ok') : this.#paint('red', contractText(failure))
    return [
      `  ${hash}  ${status}`,
      this.#paint('dim', `    from ${from} ${target}${called}${worth}  gas ${gasUsed} of ${gasLimit}`),
      ...stackText(stack).map((line) => `    ${this.#paint('dim', line)}`),
      ...lines.map((line) => this.#consoleLine(line)),
    ]
  }

  #consoleLine({ contract, text }: ConsoleLine): string {
    return `    ${this.#paint('dim', `${contract}:`)} ${contractText(text)}`
  }
}

/** Writes members for programs, each transaction in a line of the log. */
export class LogRenderer implements ActivityRenderer {
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  block({ number, hash, gasUsed, count }: BlockActivity, transactions: readonly TransactionActivity[]): void {
    this.#log.debug({ number, hash, gasUsed: String(gasUsed), transactions: count }, 'block')
    for (const transaction of transactions) {
      const { lines, stack, value, gasUsed: used, gasLimit, ...rest } = transaction
      const members = { ...rest, ...(stack && { stack: stackText(stack) }) }
      const amounts = { value: String(value), gasUsed: String(used), gasLimit: String(gasLimit) }
      this.#log.debug({ ...members, ...amounts }, 'transaction')
      for (const { contract, text } of lines)
        this.#log.info({ transaction: transaction.hash, contract, text }, 'console.log')
    }
  }

  failedCall({ lines, stack, ...members }: FailedCallActivity): void {
    this.#log.debug({ ...members, ...(stack && { stack: stackText(stack) }) }, 'a call failed')
    this.call(lines)
  }

  call(lines: readonly ConsoleLine[]): void {
    for (const { contract, text } of lines) this.#log.info({ contract, text }, 'console.log')
  }

  reverted(to: number): void {
    this.#log.debug({ to }, 'blocks are reverted')
  }
}

/** Returns the lines of a stack without what would control the terminal. */
export const stackText = (stack: StackTrace | undefined, width?: number): readonly string[] =>
  stack === undefined ? [] : stackTraceLines(stack, width).map((line) => printable(line))

/** Returns text of a contract without what would control the terminal, its later lines below the first. */
export const contractText = (text: string): string => printableLines(text, '      ')

/** The last time that a date can have, in seconds. Tests move time as they like. */
const lastTime = 8_640_000_000_000n

export const formatTime = (seconds: bigint): string =>
  seconds > lastTime ? `${seconds} s` : new Date(Number(seconds) * 1000).toISOString().replace('.000Z', '')

/** Returns wei as coins, without zeros at the end. */
export const formatCoins = (wei: bigint): string => {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}
