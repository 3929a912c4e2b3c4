import { emptyBytes } from '../../base/encoding/bytes.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { ProofFields } from './proofFields.ts'

/** An account as the store `acc` has it. */
export interface StoredAccount {
  readonly sequence: bigint
  /** The hash of its code, where accounts have it; undefined where the EVM's store has it. */
  readonly codeHash: string | undefined
  /** What its coins are for: some of those that vest cannot be spent, and the reserve of x/precisebank is shown as empty. */
  readonly kind: 'plain' | 'reserve' | 'vesting'
}

/** The kinds of accounts by the last word of their type, and how many messages are around their `BaseAccount`. */
const kinds: ReadonlyMap<string, readonly [kind: StoredAccount['kind'], depth: number]> = new Map([
  ['BaseAccount', ['plain', 0]],
  ['EthAccount', ['plain', 1]],
  ['ModuleAccount', ['plain', 1]],
  ['BaseVestingAccount', ['vesting', 1]],
  ['ContinuousVestingAccount', ['vesting', 2]],
  ['DelayedVestingAccount', ['vesting', 2]],
  ['PeriodicVestingAccount', ['vesting', 2]],
  ['PermanentLockedAccount', ['vesting', 2]],
  ['ClawbackVestingAccount', ['vesting', 2]],
])

const reserveName = 'precisebank'

/** The fields of a message that are looked at; vesting accounts have one for each period, which are passed over. */
const maxFields = 10_000

/** Decodes an account; undefined if it is of a kind that is not known. */
export const decodeStoredAccount = (bytes: Uint8Array): StoredAccount | undefined => {
  const packed = new ProofFields(bytes, 2)
  const type = decodeUtf8(packed.bytes(1)).split('.').at(-1) ?? ''
  const found = kinds.get(type)
  if (found === undefined) return undefined
  const [kind, depth] = found
  const outer = new ProofFields(packed.bytes(2), maxFields)
  let base = outer
  for (let level = 0; level < depth; level++) base = new ProofFields(base.message(1) ?? emptyBytes, maxFields)
  const codeHash = type === 'EthAccount' ? decodeUtf8(outer.bytes(2)) : ''
  const isReserve = type === 'ModuleAccount' && decodeUtf8(outer.bytes(2)) === reserveName
  return {
    sequence: base.integer(4),
    codeHash: codeHash === '' ? undefined : codeHash,
    kind: isReserve ? 'reserve' : kind,
  }
}

/** Decodes an amount of coins: digits, or a `Coin` as older versions of the SDK wrote it. Undefined if it is neither. */
export const decodeAmount = (bytes: Uint8Array): bigint | undefined => {
  if (bytes.length === 0) return 0n
  const text = decodeUtf8(bytes[0] === 0x0a ? new ProofFields(bytes, 2).bytes(2) : bytes)
  return /^[0-9]{1,78}$/.test(text) ? BigInt(text) : undefined
}
