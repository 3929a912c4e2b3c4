import { concatBytes } from '../../base/encoding/bytes.ts'
import { readFields, type WireField } from '../../base/encoding/protobuf/protoReader.ts'
import { evmTypeName } from '../transaction/typeNames.ts'

/**
 * Results without the return data of their messages, which is most of a large result and part of no receipt. It works
 * on the bytes, so that no copy of what is dropped is made.
 */

/** The data of a shorter result is left as it is. */
const minBytes = 4_096

/** The fields of TxMsgData: responses by their messages' types (up to SDK 0.45), and responses. */
const oldResponses = 1
const responses = 2
/** The field of MsgEthereumTxResponse with the return data. */
const returnData = 3

/** Returns the data of a result without return data; the same bytes if they are short or are not TxMsgData. */
export const dropReturnData = (data: Uint8Array): Uint8Array => {
  if (data.length < minBytes) return data
  return (
    mapFields(data, (field) =>
      field.number === responses || field.number === oldResponses ? mapResponse(field) : field.bytes,
    ) ?? data
  )
}

/** Maps an Any, or a MsgData of older versions: both have a type in field 1 and the response in field 2. */
const mapResponse = ({ number, bytes, value }: WireField): Uint8Array => {
  if (value === undefined) return bytes
  const type = readFields(value)?.find((field) => field.number === 1)?.value
  const name = type && evmTypeName(Buffer.from(type).toString('latin1'))
  if (name !== 'MsgEthereumTxResponse' && name !== 'MsgEthereumTx') return bytes
  const mapped = mapFields(value, (field) =>
    field.number === 2 && field.value !== undefined
      ? encodeField(2, mapFields(field.value, dropReturn) ?? field.value)
      : field.bytes,
  )
  return mapped === undefined ? bytes : encodeField(number, mapped)
}

const dropReturn = ({ number, bytes }: WireField): Uint8Array =>
  number === returnData ? bytes.subarray(0, 0) : bytes

const mapFields = (message: Uint8Array, map: (field: WireField) => Uint8Array): Uint8Array | undefined => {
  const fields = readFields(message)
  return fields && concatBytes(...fields.map(map))
}

const encodeField = (number: number, value: Uint8Array): Uint8Array => {
  const head = [(number << 3) | 2]
  let rest = value.length
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) | 0x80)
  head.push(rest)
  return concatBytes(Uint8Array.from(head), value)
}
