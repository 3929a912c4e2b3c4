import { decodeRlp, encodeRlp } from '../../base/encoding/rlp.ts'
import { RlpListReader } from '../block/rlpListReader.ts'
import { encodeInteger } from '../transaction/encode.ts'

/** An account as the trie of a state has it. */
export interface AccountView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
}

export const encodeAccountLeaf = ({ nonce, balance, storageRoot, codeHash }: AccountView): Uint8Array =>
  encodeRlp([encodeInteger(nonce), encodeInteger(balance), storageRoot, codeHash])

/** Decodes an account; throws an `RlpError` for anything else. */
export const decodeAccountLeaf = (bytes: Uint8Array): AccountView => {
  const fields = new RlpListReader(decodeRlp(bytes), 'account')
  const account = {
    nonce: fields.integer('nonce', 8),
    balance: fields.integer('balance', 32),
    storageRoot: fields.fixed('storageRoot', 32),
    codeHash: fields.fixed('codeHash', 32),
  }
  fields.end()
  return account
}
