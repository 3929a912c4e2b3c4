import { printable, printableLines } from '../../base/encoding/printable.ts'
import type { Logger } from '../../base/logging/log.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'
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

export interface CallActivity
  extends Pick<TransactionActivity, 'to' | 'call' | 'failure' | 'stack' | 'lines'> {
  readonly method: string
  /** The client library or the tool that made it, if it says which it is. */
  readonly tool: string | undefined
  readonly from: string | undefined
}

/** A transaction that the pool rejected. Everything but the reason is missing if the bytes are not a transaction. */
export interface RejectedActivity extends Pick<TransactionActivity, 'to' | 'call'> {
  readonly hash: string | undefined
  readonly from: string | undefined
  readonly nonce: bigint | undefined
  readonly reason: string
}

/** Shows what happened. `transactions` is empty for a block that has too many to show. */
export interface ActivityRenderer {
  block(block: BlockActivity, transactions: readonly TransactionActivity[]): void
  /** Shows a call or an estimate that failed, or in which contracts wrote to the console. */
  call(made: CallActivity): void
  /** Shows a transaction that is in no block because the pool rejected it. */
  rejected(sent: RejectedActivity): void
  /** Tells that the blocks above a height are gone. */
  reverted(to: number): void
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
      for (const line of lines) this.#log.info({ transaction: transaction.hash, ...line }, 'console.log')
    }
  }

  call({ lines, stack, ...members }: CallActivity): void {
    if (members.failure !== undefined)
      this.#log.debug({ ...members, ...(stack && { stack: stackText(stack) }) }, 'a call failed')
    for (const line of lines) this.#log.info({ ...line }, 'console.log')
  }

  rejected({ nonce, ...members }: RejectedActivity): void {
    this.#log.debug({ ...members, nonce: nonce?.toString() }, 'a transaction was rejected')
  }

  reverted(to: number): void {
    this.#log.debug({ to }, 'blocks are reverted')
  }
}

/** Returns the lines of a stack without what would control the terminal. */
export const stackText = (stack: StackTrace | undefined, width?: number): readonly string[] =>
  stack === undefined ? [] : stackTraceLines(stack, width).map((line) => printable(line))

/** Returns text of a contract without what would control the terminal. */
export const contractText = (text: string): string => printableLines(text, '')

/** The last time that a date can have, in seconds. Tests move time as they like. */
const lastTime = 8_640_000_000_000n

export const formatTime = (seconds: bigint): string =>
  seconds > lastTime ? `${seconds} s` : new Date(Number(seconds) * 1000).toISOString().replace('.000Z', '')

/** Returns wei as coins, without zeros at the end. */
export const formatCoins = (wei: bigint): string => {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}

/** Returns the name and the version of a tool, such as `ethers 6.13.0`, from the header in which it gives them. */
export const toolName = (userAgent: string | undefined): string | undefined => {
  if (userAgent?.startsWith('Mozilla/')) return 'a browser'
  const [, name, version] = /^([\w.@-]{1,32})(?:[ /]v?(\d[\w.]{0,15}))?/.exec(userAgent ?? '') ?? []
  return name === undefined || version === undefined ? name : `${name} ${version}`
}

/** Puts parts onto as few lines as have room for them, with two spaces between. */
export const pack = (parts: readonly string[], width: number): readonly string[] => {
  const lines: string[] = []
  for (const part of parts.flatMap((one) => fold(one, width))) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 2 + part.length <= width)
      lines[lines.length - 1] = `${last}  ${part}`
    else lines.push(part)
  }
  return lines
}

/** Breaks text into lines, between words if it can, and never inside hex: it is there to be copied. */
export const fold = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let rest = line
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width)
      const parenthesis = rest.lastIndexOf('(', width - 1) + 1
      // A word that does not fit is cut, but an argument is kept in one piece to be copied.
      const end = [space, parenthesis].find((at) => at > width / 3) ?? endBesideHex(rest, width)
      lines.push(rest.slice(0, end).trimEnd())
      rest = rest.slice(end).trimStart()
    }
    return rest === '' && lines.length > 0 ? lines : [...lines, rest]
  })

/** Returns where to break a line at most `width` wide, or beside the hex that is there: behind it if no line has room for it. */
const endBesideHex = (text: string, width: number): number => {
  const [before = ''] = /(?:0x)?[0-9a-f]*$/i.exec(text.slice(0, width)) ?? []
  const [after = ''] = /^x?[0-9a-f]*/i.exec(text.slice(width)) ?? []
  if (before === '' || after === '') return width
  const begin = width - before.length
  return begin > 0 && before.length + after.length <= width ? begin : width + after.length
}
