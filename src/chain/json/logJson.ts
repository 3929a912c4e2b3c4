import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Log } from '../block/receiptLog.ts'

/** The members that all logs of one transaction share. */
export interface LogLocation {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
}

/** Returns a function that renders the logs of one transaction; the shared members are encoded once. */
export const createLogWriter = (location: LogLocation): ((log: Log, logIndex: number) => string) => {
  const shared =
    `,"blockNumber":"${toQuantity(location.blockNumber)}","transactionHash":"${toHex(location.transactionHash)}",` +
    `"transactionIndex":"${toQuantity(location.transactionIndex)}","blockHash":"${toHex(location.blockHash)}",` +
    `"blockTimestamp":"${toQuantity(location.blockTimestamp)}","logIndex":"`
  return ({ address, topics, data }, logIndex) =>
    `{"address":"${toHex(address)}","topics":[${topics.map((topic) => `"${toHex(topic)}"`).join(',')}],` +
    `"data":"${toHex(data)}"${shared}${toQuantity(logIndex)}","removed":false}`
}
