import { create } from '@bufbuild/protobuf'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { AuthInfoSchema } from '../gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgProposerSchema } from '../gen/perihelion/v1/proposal_pb.ts'
import { decodeMessage, decodeTxBody, encodeTx, packAny, toTypeUrl } from '../protobuf.ts'
import { transactionLimits } from '../wire.ts'

/** The first entry of a proposal. It is not a transaction, but holds the values that the proposer adds to the block. */
export interface ProposerEntry {
  readonly height: bigint
  /** The address that receives the tips of the block (20 bytes). */
  readonly reward: Uint8Array
}

const proposerUrl = toTypeUrl(MsgProposerSchema)

/**
 * Encodes a proposer entry in the form of a transaction, so that tools which read blocks skip it as an unknown message.
 */
export const encodeProposerEntry = ({ height, reward }: ProposerEntry): Uint8Array =>
  encodeTx({
    messages: [packAny(MsgProposerSchema, create(MsgProposerSchema, { height, reward }))],
    extensionOptions: [],
    authInfo: create(AuthInfoSchema),
  })

/** The largest size of an entry: 20 bytes of address, 10 of height, the type URL and the enclosing messages. */
const maxEntryBytes = 128

/** Decodes a proposer entry; undefined for any bytes that `encodeProposerEntry` would not return. */
export const decodeProposerEntry = (bytes: Uint8Array): ProposerEntry | undefined => {
  if (bytes.length > maxEntryBytes) return undefined
  const message = decodeTxBody(bytes, transactionLimits)?.messages[0]
  if (message?.typeUrl !== proposerUrl) return undefined
  const entry = decodeMessage(MsgProposerSchema, message.value, transactionLimits)
  if (entry?.reward.length !== 20) return undefined
  const { height, reward } = entry
  return equalBytes(encodeProposerEntry({ height, reward }), bytes) ? { height, reward } : undefined
}
