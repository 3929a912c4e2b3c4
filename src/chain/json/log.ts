import { toHex, toQuantity } from '../../base/hex.ts'
import type { Log } from '../block/log.ts'

/** What the logs of one transaction share. */
export interface LogPlace {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
}

/** Writes the logs of one transaction: what they share is encoded once. */
export const logWriter = (place: LogPlace): ((log: Log, logIndex: number) => string) => {
  const shared =
    `,"blockNumber":"${toQuantity(place.blockNumber)}","transactionHash":"${toHex(place.transactionHash)}",` +
    `"transactionIndex":"${toQuantity(place.transactionIndex)}","blockHash":"${toHex(place.blockHash)}",` +
    `"blockTimestamp":"${toQuantity(place.blockTimestamp)}","logIndex":"`
  return ({ address, topics, data }, logIndex) =>
    `{"address":"${toHex(address)}","topics":[${topics.map((topic) => `"${toHex(topic)}"`).join(',')}],` +
    `"data":"${toHex(data)}"${shared}${toQuantity(logIndex)}","removed":false}`
}
