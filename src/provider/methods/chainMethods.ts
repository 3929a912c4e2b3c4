import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { invalidParams } from '../lightError.ts'
import { parseData } from '../proving/answers.ts'
import type { LightMethods } from './method.ts'
import { dataAt } from './params.ts'

/** Returns the hash of a transaction; a blob transaction that is sent with its sidecar has it without that. */
const hashOf = (raw: Uint8Array): Uint8Array => {
  if (raw[0] !== 3) return keccak256(raw)
  const fields = decodeSent(raw.subarray(1))
  const [payload] = fields
  return payload instanceof Uint8Array || payload === undefined
    ? keccak256(raw)
    : keccak256(concatBytes(Uint8Array.of(3), encodeRlp(payload)))
}

const decodeSent = (rlp: Uint8Array): readonly RlpItem[] => {
  try {
    const fields = decodeRlp(rlp)
    return fields instanceof Uint8Array ? [] : fields
  } catch {
    throw invalidParams('parameter 1: expected a signed transaction')
  }
}

export const chainMethods: LightMethods = {
  eth_chainId: async (session) => toQuantity((await session.config()).chainId),
  net_version: async (session) => (await session.config()).chainId.toString(),
  net_listening: async () => true,
  eth_syncing: async () => false,
  eth_accounts: async () => [],
  web3_sha3: async (_, params) => toHex(keccak256(dataAt(params, 0))),
  eth_sendRawTransaction: async ({ endpoint }, params) => {
    const raw = dataAt(params, 0)
    const hash = hashOf(raw)
    const said = await endpoint.askBelieved('eth_sendRawTransaction', [toHex(raw)])
    if (!equalBytes(parseData(said, 'the hash of the transaction'), hash))
      throw new UpstreamError(`it took the transaction ${toHex(hash)} under another hash`)
    return toHex(hash)
  },
}
