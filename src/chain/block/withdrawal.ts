import { encodeRlp, type RlpInput, type RlpItem } from '../../base/encoding/rlp.ts'
import { encodeInteger } from '../transaction/encode.ts'
import { RlpListReader } from './rlpListReader.ts'
import { listRoot } from './trieRoot.ts'

/** A withdrawal from the beacon chain (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Uint8Array
  /** The amount in gwei. */
  readonly amount: bigint
}

export const withdrawalFields = ({ index, validatorIndex, address, amount }: Withdrawal): RlpInput[] => [
  encodeInteger(index),
  encodeInteger(validatorIndex),
  address,
  encodeInteger(amount),
]

export const withdrawalFromFields = (item: RlpItem): Withdrawal => {
  const fields = new RlpListReader(item, 'withdrawal')
  const withdrawal = {
    index: fields.integer('index', 8),
    validatorIndex: fields.integer('validatorIndex', 8),
    address: fields.fixed('address', 20),
    amount: fields.integer('amount', 8),
  }
  fields.end()
  return withdrawal
}

export const withdrawalsRoot = (withdrawals: readonly Withdrawal[]): Uint8Array =>
  listRoot(withdrawals.map((withdrawal) => encodeRlp(withdrawalFields(withdrawal))))
