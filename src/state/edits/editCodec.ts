import { emptyBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import type { AccountChange, StateChanges } from '../../chain/state/evmState.ts'
import { trimWord } from '../rows/rows.ts'

/**
 * The row of one change from outside a block: for each account its address, its new values (none if it is deleted),
 * whether its earlier storage is gone, and the slots that were set. Code is in its own table, as everybody's is.
 *
 *   [ [address, [nonce, balance, code hash] | [], cleared, [[slot, value]…]]… ]
 */
export const encodeEdit = ({ accounts }: StateChanges): Uint8Array =>
  encodeRlp(
    accounts.map(({ address, account, storageCleared, storage }) => [
      address,
      account === undefined ? [] : [integer(account.nonce), integer(account.balance), account.codeHash],
      storageCleared ? Uint8Array.of(1) : emptyBytes,
      storage.map(([slot, value]) => [slot, trimWord(value)]),
    ]),
  )

/** Decodes a row; throws if it is invalid. The result does not refer to the memory of the row. */
export const decodeEdit = (row: Uint8Array): StateChanges => ({
  accounts: list(decodeRlp(Uint8Array.from(row))).map(decodeAccount),
  code: [],
})

const decodeAccount = (item: RlpItem): AccountChange => {
  const [address, values, cleared, slots, ...rest] = list(item)
  if (rest.length > 0) throw new Error('a change has too many fields')
  const fields = list(values)
  if (fields.length !== 0 && fields.length !== 3) throw new Error('an account of a change has other fields')
  return {
    address: bytes(address, 20),
    account:
      fields.length === 0
        ? undefined
        : {
            nonce: toBigInt(bytes(fields[0])),
            balance: toBigInt(bytes(fields[1])),
            codeHash: bytes(fields[2], 32),
          },
    storageCleared: bytes(cleared).length > 0,
    storage: list(slots).map((pair) => {
      const [slot, value] = list(pair)
      return [bytes(slot, 32), padWord(bytes(value))] as const
    }),
  }
}

const integer = (value: bigint): Uint8Array => {
  if (value === 0n) return emptyBytes
  const digits = value.toString(16)
  return Uint8Array.from(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

const list = (item: RlpItem | undefined): readonly RlpItem[] => {
  if (item === undefined || item instanceof Uint8Array) throw new Error('a change lacks a list')
  return item
}

const bytes = (item: RlpItem | undefined, length?: number): Uint8Array => {
  if (!(item instanceof Uint8Array) || (length !== undefined && item.length !== length))
    throw new Error('a field of a change has the wrong length')
  return item
}

const padWord = (value: Uint8Array): Uint8Array => {
  if (value.length > 32) throw new Error('a slot of a change is too long')
  const word = new Uint8Array(32)
  word.set(value, 32 - value.length)
  return word
}
