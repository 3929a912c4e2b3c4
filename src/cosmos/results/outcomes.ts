import type { Log } from '../../chain/block/receiptLog.ts'
import { TxMsgDataSchema } from '../gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { type MsgEthereumTxResponse, MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { decodeLargeMessage } from '../protobuf.ts'
import { evmTypeName } from '../transaction/typeNames.ts'
import { toLog } from './eventLogs.ts'
import { decodeEventOutcomes } from './eventOutcomes.ts'
import type { TextEvent } from './textEvent.ts'

/** The outcome of one Ethereum message, as a native result has it. */
export interface MessageOutcome {
  /** The hash with 0x; empty if the result does not name it. */
  readonly hash: string
  /** The reason of the failure; empty if the message succeeded. */
  readonly vmError: string
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
}

/** The fields of a result that outcomes are decoded from. */
interface ResultFields {
  readonly data: Uint8Array
  readonly events: readonly TextEvent[]
}

const responsesOf = ({ data }: ResultFields): readonly (MsgEthereumTxResponse | undefined)[] => {
  const message = decodeLargeMessage(TxMsgDataSchema, data)
  const responses = (message?.msgResponses ?? [])
    .filter(({ typeUrl }) => evmTypeName(typeUrl) === 'MsgEthereumTxResponse')
    .map(({ value }) => value)
  // Up to SDK 0.45 the responses are listed by the types of their messages.
  const older = (message?.data ?? [])
    .filter(({ msgType }) => evmTypeName(msgType) === 'MsgEthereumTx')
    .map((entry) => entry.data)
  return (responses.length > 0 ? responses : older).map((value) =>
    decodeLargeMessage(MsgEthereumTxResponseSchema, value),
  )
}

/** Where a chain has the logs of a message: in the data of the result, or only in its events. */
export type LogLocation = 'data' | 'events'

/**
 * Decodes one outcome for each of `count` Ethereum messages, in their order, from the data of a result or, if that is
 * empty, from its events. Returns undefined if neither has them. Throws a ResultError for a malformed log.
 */
export const decodeOutcomes = (
  result: ResultFields,
  count: number,
  logLocation: LogLocation = 'data',
): readonly MessageOutcome[] | undefined => {
  const responses = responsesOf(result)
  const decoded = responses.filter((response) => response !== undefined)
  if (decoded.length !== responses.length) return undefined
  if (logLocation === 'events') {
    const outcomes = decodeEventOutcomes(result.events)
    if (outcomes.length !== count || decoded.length !== count) return undefined
    // The hash is taken from the data, which the engine hashes.
    return outcomes.map((outcome, index) => ({ ...outcome, hash: decoded[index]?.hash ?? '' }))
  }
  if (decoded.length === count)
    return decoded.map(({ hash, vmError, gasUsed, logs }) => ({
      hash,
      vmError,
      gasUsed,
      logs: logs.map(toLog),
    }))
  const events = responses.length === 0 ? decodeEventOutcomes(result.events) : []
  return events.length === count ? events : undefined
}
