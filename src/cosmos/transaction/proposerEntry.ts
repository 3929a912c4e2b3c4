import { create } from '@bufbuild/protobuf'
import { equalBytes } from '../../base/bytes.ts'
import { AuthInfoSchema } from '../gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgProposerSchema } from '../gen/perihelion/v1/proposal_pb.ts'
import { decodeMessage, decodeTxBody, encodeTx, packAny, typeUrlOf } from '../protobuf.ts'

/** The first entry of a proposal: no transaction, but what the proposer adds to the block. */
export interface ProposerEntry {
  readonly height: bigint
  /** Receives the block's tips: 20 bytes. */
  readonly reward: Uint8Array
}

const proposerUrl = typeUrlOf(MsgProposerSchema)

/** Framed like a transaction, so that tools which read blocks skip it as a message they do not know. */
export const encodeProposerEntry = ({ height, reward }: ProposerEntry): Uint8Array =>
  encodeTx({
    messages: [packAny(MsgProposerSchema, create(MsgProposerSchema, { height, reward }))],
    extensionOptions: [],
    authInfo: create(AuthInfoSchema),
  })

/** No entry has more: 20 bytes of address, 10 of height, the type's name and the frames around them. */
const maxEntryBytes = 128

/** Undefined for anything that `encodeProposerEntry` would not write. */
export const decodeProposerEntry = (bytes: Uint8Array): ProposerEntry | undefined => {
  if (bytes.length > maxEntryBytes) return undefined
  const message = decodeTxBody(bytes)?.messages[0]
  if (message?.typeUrl !== proposerUrl) return undefined
  const entry = decodeMessage(MsgProposerSchema, message.value)
  if (entry?.reward.length !== 20) return undefined
  const { height, reward } = entry
  return equalBytes(encodeProposerEntry({ height, reward }), bytes) ? { height, reward } : undefined
}
