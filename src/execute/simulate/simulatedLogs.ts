import { fromBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { EnterEvent, ExitEvent, Tracer } from '../../evm/types.ts'

/** A log and its index among all logs of the block's calls. Reverted logs are counted too, as in geth. */
export interface IndexedLog {
  readonly log: Log
  readonly index: number
}

/** The address that stands for the native coin in token logs (ERC-7528). */
const coinAddress = fromHex('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
/** The topic of Transfer(address,address,uint256). */
const transferTopic = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

const toTopic = (address: Uint8Array): Uint8Array => {
  const topic = new Uint8Array(32)
  topic.set(address, 12)
  return topic
}

const transferLog = ({ from, to, value }: EnterEvent): Log => ({
  address: coinAddress,
  topics: [transferTopic, toTopic(from), toTopic(to)],
  data: fromBigInt(value, 32),
})

const isTransfer = ({ kind, value }: EnterEvent): boolean =>
  value > 0n && kind !== 'DELEGATECALL' && kind !== 'CALLCODE'

/** Collects the logs of each call, and a log for each transfer if the client asked for them. */
export class LogTracer implements Tracer {
  readonly #hasTransfers: boolean
  /** One list for each open frame. */
  readonly #frames: IndexedLog[][] = []
  #count = 0
  /** Why the call that has just ended failed, in geth's words; undefined if it did not. */
  failure: string | undefined

  constructor(hasTransfers: boolean) {
    this.#hasTransfers = hasTransfers
  }

  enter(event: EnterEvent): void {
    this.#frames.push([])
    if (this.#hasTransfers && isTransfer(event)) this.#add(transferLog(event))
  }

  exit({ depth, error, message }: ExitEvent): void {
    if (depth === 0) this.failure = message
    if (error !== undefined) this.#frames.splice(-1, 1, [])
    if (this.#frames.length === 1) return
    const ended = this.#frames.pop() ?? []
    const caller = this.#frames.at(-1)
    for (const indexed of ended) caller?.push(indexed)
  }

  log(log: Log): void {
    this.#add(log)
  }

  /** Returns and removes the logs of the call that has just ended. */
  drain(): readonly IndexedLog[] {
    return this.#frames.splice(0).flat()
  }

  #add(log: Log): void {
    this.#frames.at(-1)?.push({ log, index: this.#count++ })
  }
}
