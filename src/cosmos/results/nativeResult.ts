import { varintSize } from '../../base/encoding/protobuf/protoWriter.ts'
import type { NativeCode } from '../codes.ts'
import type { NativeAttribute, NativeEvent } from './nativeEvents.ts'

/** The native result of one transaction of a block (ABCI's ExecTxResult). */
export interface NativeResult {
  readonly code: NativeCode
  readonly data: Uint8Array
  readonly log: string
  /** The gas limit; -1 if the transaction was never executed, as in cosmos/evm. */
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly NativeEvent[]
  readonly codespace: string
}

/** The sizes of results in ABCI's encoding, computed without encoding them: a large block would be encoded twice. */

/** Returns the size of a varint field; a negative number takes all ten bytes, and zero is omitted. */
const integerSize = (value: bigint): number => {
  if (value === 0n) return 0
  return 1 + (value < 0n ? 10 : varintSize(Number(value)))
}

/** Returns the size of bytes, a text or a message with its tag and length. */
const framedSize = (length: number): number => 1 + varintSize(length) + length

/** Returns the size of a field that is omitted if it is empty. */
const bytesSize = (length: number): number => (length === 0 ? 0 : framedSize(length))

const textSize = (text: string): number => bytesSize(Buffer.byteLength(text))

const attributeSize = ({ key, value, index }: NativeAttribute): number =>
  framedSize(textSize(key) + bytesSize(value.length) + (index ? 2 : 0))

const eventSize = ({ type, attributes }: NativeEvent): number =>
  framedSize(attributes.reduce((sum, attribute) => sum + attributeSize(attribute), textSize(type)))

/** Returns the size of a result as a part of the response to FinalizeBlock. */
export const encodedSize = (result: NativeResult): number => {
  const { code, data, log, gasWanted, gasUsed, events, codespace } = result
  const fields =
    integerSize(BigInt(code)) +
    bytesSize(data.length) +
    textSize(log) +
    integerSize(gasWanted) +
    integerSize(gasUsed) +
    textSize(codespace)
  return framedSize(events.reduce((sum, event) => sum + eventSize(event), fields))
}
