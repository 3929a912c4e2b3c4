import { fromBigInt } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import type { Log } from '../../chain/block/log.ts'
import type { EnterEvent, ExitEvent, Tracer } from '../../evm/types.ts'

/** A log and its place among all that the block's calls wrote: those that were taken back count too, as in geth. */
export interface IndexedLog {
  readonly log: Log
  readonly index: number
}

/** ERC-7528: where the native coin would be if it were a token. */
const coinAddress = fromHex('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
/** Transfer(address,address,uint256) */
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

/** Gathers the logs of one call after the other, and transfers where they are wanted. */
export class LogTracer implements Tracer {
  readonly #hasTransfers: boolean
  /** One list for each frame that is open. */
  readonly #frames: IndexedLog[][] = []
  #count = 0

  constructor(hasTransfers: boolean) {
    this.#hasTransfers = hasTransfers
  }

  enter(event: EnterEvent): void {
    this.#frames.push([])
    if (this.#hasTransfers && isTransfer(event)) this.#add(transferLog(event))
  }

  exit({ error }: ExitEvent): void {
    if (error !== undefined) this.#frames.splice(-1, 1, [])
    if (this.#frames.length === 1) return
    const ended = this.#frames.pop() ?? []
    const caller = this.#frames.at(-1)
    for (const indexed of ended) caller?.push(indexed)
  }

  log(log: Log): void {
    this.#add(log)
  }

  /** Those of the call that has just ended. */
  drain(): readonly IndexedLog[] {
    return this.#frames.splice(0).flat()
  }

  #add(log: Log): void {
    this.#frames.at(-1)?.push({ log, index: this.#count++ })
  }
}
