import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from './gen/cosmos/tx/v1beta1/tx_pb.ts'

/** Undefined for what is no such message; the library's own words say nothing that a peer should see. */
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

/** The Cosmos SDK names a type by `/` and its full name, without a host. */
export const toTypeUrl = ({ typeName }: DescMessage): string => `/${typeName}`

export const packAny = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any =>
  create(AnySchema, { typeUrl: toTypeUrl(schema), value: toBinary(schema, message) })

interface TxParts {
  readonly messages: Any[]
  readonly extensionOptions: Any[]
  readonly authInfo: MessageShape<typeof AuthInfoSchema>
}

/** A transaction without signatures. */
export const encodeTx = ({ messages, extensionOptions, authInfo }: TxParts): Uint8Array =>
  toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, create(TxBodySchema, { messages, extensionOptions })),
      authInfoBytes: toBinary(AuthInfoSchema, authInfo),
    }),
  )

/** The body's parts, or undefined; what else is in the bytes is for the caller to compare. */
export const decodeTxBody = (bytes: Uint8Array): MessageShape<typeof TxBodySchema> | undefined => {
  const tx = decodeMessage(TxRawSchema, bytes)
  return tx && decodeMessage(TxBodySchema, tx.bodyBytes)
}
