import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from './gen/cosmos/tx/v1beta1/tx_pb.ts'
import { findWireProblem, limitsForSize, requestLimits, type WireLimits } from './wire.ts'

/**
 * Decodes a message; undefined if the bytes are not such a message, or cross the limits. The library's error text is
 * dropped, because it tells a peer nothing useful. Unknown fields are not kept.
 */
export const decodeMessage = <Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
  limits: WireLimits = requestLimits,
): MessageShape<Desc> | undefined => {
  if (findWireProblem(schema, bytes, limits) !== undefined) return undefined
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false })
  } catch {
    return undefined
  }
}

/** Decodes a message that is a response or part of a block, which may have as many fields as its size is good for. */
export const decodeLargeMessage = <Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
): MessageShape<Desc> | undefined => decodeMessage(schema, bytes, limitsForSize(bytes.length))

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
export const decodeTxBody = (
  bytes: Uint8Array,
  limits: WireLimits = requestLimits,
): MessageShape<typeof TxBodySchema> | undefined => {
  const tx = decodeMessage(TxRawSchema, bytes, limits)
  return tx && decodeMessage(TxBodySchema, tx.bodyBytes, limits)
}
