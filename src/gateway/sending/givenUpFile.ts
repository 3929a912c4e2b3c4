import { readFileSync } from 'node:fs'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { RefusedTransaction } from '../../chain/port/pool.ts'

/** A nonce that nobody uses any more, before later ones of the same sender. */
export interface NonceGap {
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly reason: string
}

interface GivenUpContent {
  readonly transactions: readonly RefusedTransaction[]
  readonly gaps: readonly NonceGap[]
}

/** Changes within this time are written together. */
const writeDelayMs = 50

const parse = (text: string): GivenUpContent => {
  const { transactions, gaps } = JSON.parse(text) as {
    transactions: { hash: string; sender: string; nonce: string; reason: string }[]
    gaps: { sender: string; nonce: string; reason: string }[]
  }
  return {
    transactions: transactions.map(({ hash, sender, nonce, reason }) => ({
      hash: fromHex(hash),
      sender: fromHex(sender),
      nonce: BigInt(nonce),
      reason: String(reason),
      isGivenUp: true,
    })),
    gaps: gaps.map(({ sender, nonce, reason }) => ({
      sender: fromHex(sender),
      nonce: BigInt(nonce),
      reason: String(reason),
    })),
  }
}

/** The transactions that were given up, across restarts, so that what waits behind them does not wait forever. */
export class GivenUpFile {
  readonly #path: string
  readonly #log: Logger
  #read: (() => GivenUpContent) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  load(): GivenUpContent {
    try {
      return parse(readFileSync(this.#path, 'utf8'))
    } catch (error) {
      // The file tells reasons and saves time: a gateway without it starts all the same.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn({ err: error }, 'the transactions that were given up could not be read back')
      return { transactions: [], gaps: [] }
    }
  }

  /** Writes the content soon, as it is then. */
  saveSoon(read: () => GivenUpContent): void {
    this.#read = read
    this.#timer ??= setTimeout(() => this.flush(), writeDelayMs).unref()
  }

  /** Writes what was not written yet. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const read = this.#read
    if (read === undefined) return
    this.#read = undefined
    const { transactions, gaps } = read()
    const text = JSON.stringify({
      transactions: transactions.map(({ hash, sender, nonce, reason }) => ({
        hash: toHex(hash),
        sender: toHex(sender),
        nonce: String(nonce),
        reason,
      })),
      gaps: gaps.map(({ sender, nonce, reason }) => ({
        sender: toHex(sender),
        nonce: String(nonce),
        reason,
      })),
    })
    try {
      writeFileAtomicallySync(this.#path, text, 0o600)
    } catch (error) {
      this.#log.error({ err: error }, 'the transactions that were given up could not be written')
    }
  }
}
