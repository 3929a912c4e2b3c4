import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from './gen/cosmos/tx/v1beta1/tx_pb.ts'

/**
 * Decodes a message; undefined if the bytes are not such a message. The library's error text is dropped, because it
 * tells a peer nothing useful.
 */
export const decodeMessage = <Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
): MessageShape<Desc> | undefined => {
  try {
    return fromBinary(schema, bytes)
  } catch {
    return undefined
  }
}

/** Returns the type URL of a message: `/` and its full name, without a host, as the Cosmos SDK writes it. */
export const toTypeUrl = ({ typeName }: DescMessage): string => `/${typeName}`

export const packAny = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any =>
  create(AnySchema, { typeUrl: toTypeUrl(schema), value: toBinary(schema, message) })

interface TxParts {
  readonly messages: Any[]
  readonly extensionOptions: Any[]
  readonly authInfo: MessageShape<typeof AuthInfoSchema>
}

/** Encodes a transaction without signatures. */
export const encodeTx = ({ messages, extensionOptions, authInfo }: TxParts): Uint8Array =>
  toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, create(TxBodySchema, { messages, extensionOptions })),
      authInfoBytes: toBinary(AuthInfoSchema, authInfo),
    }),
  )

/** Decodes the body of a transaction; undefined if there is none. The caller checks what else is in the bytes. */
export const decodeTxBody = (bytes: Uint8Array): MessageShape<typeof TxBodySchema> | undefined => {
  const tx = decodeMessage(TxRawSchema, bytes)
  return tx && decodeMessage(TxBodySchema, tx.bodyBytes)
}
