import type { Log } from '../../chain/block/log.ts'
import { TxMsgDataSchema } from '../gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { type MsgEthereumTxResponse, MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { decodeMessage } from '../protobuf.ts'
import { evmTypeName } from '../transaction/typeNames.ts'
import { decodeEventOutcomes } from './eventOutcomes.ts'
import { toLog } from './logs.ts'
import type { TextEvent } from './textEvent.ts'

/** What a result says of one Ethereum transaction. */
export interface MessageOutcome {
  /** 0x and digits; empty where it is not named. */
  readonly hash: string
  /** Why it failed; empty where it did not. */
  readonly vmError: string
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
}

/** What is read of a result. */
interface ResultFields {
  readonly data: Uint8Array
  readonly events: readonly TextEvent[]
}

const responsesOf = ({ data }: ResultFields): readonly (MsgEthereumTxResponse | undefined)[] => {
  const message = decodeMessage(TxMsgDataSchema, data)
  const responses = (message?.msgResponses ?? [])
    .filter(({ typeUrl }) => evmTypeName(typeUrl) === 'MsgEthereumTxResponse')
    .map(({ value }) => value)
  // Up to SDK 0.45 the answers stand by the types of their messages.
  const older = (message?.data ?? [])
    .filter(({ msgType }) => evmTypeName(msgType) === 'MsgEthereumTx')
    .map((entry) => entry.data)
  return (responses.length > 0 ? responses : older).map((value) =>
    decodeMessage(MsgEthereumTxResponseSchema, value),
  )
}

/**
 * One for each of `count` Ethereum messages, in their order, from a result's data or, where that says nothing, from its
 * events. Undefined where neither tells it. Throws a ResultError for a log that is none.
 */
export const decodeOutcomes = (
  result: ResultFields,
  count: number,
): readonly MessageOutcome[] | undefined => {
  const responses = responsesOf(result)
  const whole = responses.filter((response) => response !== undefined)
  if (whole.length !== responses.length) return undefined
  if (whole.length === count)
    return whole.map(({ hash, vmError, gasUsed, logs }) => ({
      hash,
      vmError,
      gasUsed,
      logs: logs.map(toLog),
    }))
  const events = responses.length === 0 ? decodeEventOutcomes(result.events) : []
  return events.length === count ? events : undefined
}
