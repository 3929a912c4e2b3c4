import { z } from 'zod'
import { decodeFixedHex, decodeHexInto, fromHex } from '../../base/encoding/hex.ts'
import {
  type AccountOverride,
  type BlockOverride,
  entryLength,
  type SlotWords,
  wordLength,
} from '../../chain/state/overrides.ts'
import { collectedRecord, limitedEntries, limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { Address, addressText, Bytes32, Data, Hash, word32Text } from './data.ts'
import { Quantity, Uint64 } from './quantity.ts'

/** Decodes a key, whose form is checked. */
const toBytes = (key: string, length: number): Uint8Array => decodeFixedHex(key, length) ?? fromHex(key)

/** The maximum of accounts and of slots of each. Simulations of whole contracts have thousands. */
const maxAccounts = 10_000
const maxSlots = 65_536

/** More than a block of any chain has. */
const maxWithdrawals = 1_024

/** Collects slots and values without an array for each. */
const collectWords = (count: number) => {
  const words = new Uint8Array(count * entryLength)
  let length = 0
  return {
    addUsual: (key: string, given: unknown): boolean => {
      if (typeof given !== 'string' || !decodeHexInto(key, words, length, wordLength)) return false
      if (!decodeHexInto(given, words, length + wordLength, wordLength)) return false
      length += entryLength
      return true
    },
    // The schemas have checked the form of both.
    add: (key: string, value: unknown): void => {
      words.set(toBytes(key, wordLength), length)
      words.set(value as Uint8Array, length + wordLength)
      length += entryLength
    },
    finish: (): SlotWords => words.subarray(0, length),
  }
}

const slots = collectedRecord(word32Text, Bytes32.schema, collectWords, {
  max: maxSlots,
  error: 'expected slots and values of 32 bytes each',
})

const account = z
  .object(
    {
      nonce: Uint64.schema.nullish(),
      code: Data.schema.nullish(),
      balance: Quantity.schema.nullish(),
      state: slots.nullish().describe('Replaces the whole storage'),
      stateDiff: slots.nullish().describe('Replaces single slots'),
      movePrecompileToAddress: Address.schema.nullish(),
    },
    { error: 'expected an object with nonce, code, balance, state or stateDiff, movePrecompileToAddress' },
  )
  .refine(({ state, stateDiff }) => state == null || stateDiff == null, {
    error: 'expected state or stateDiff, not both',
  })

const orUndefined = <T>(value: T | null | undefined): T | undefined => value ?? undefined

export const StateOverrides: WireType<readonly AccountOverride[]> = inputType(
  limitedEntries(
    addressText,
    account,
    (address, { nonce, code, balance, state, stateDiff, movePrecompileToAddress }): AccountOverride => ({
      address: toBytes(address, 20),
      nonce: orUndefined(nonce),
      code: orUndefined(code),
      balance: orUndefined(balance),
      state: orUndefined(state),
      stateDiff: orUndefined(stateDiff),
      movePrecompileToAddress: orUndefined(movePrecompileToAddress),
    }),
    { max: maxAccounts, error: 'expected an object from addresses to what is different there' },
  ).meta({
    id: 'StateOverrides',
    title: 'state overrides',
    description: 'Address to what the call sees there',
  }),
)

const withdrawal = z.object({
  index: Uint64.schema,
  validatorIndex: Uint64.schema,
  address: Address.schema,
  amount: Uint64.schema,
})

const blockMembers = z.object(
  {
    number: Quantity.schema.nullish(),
    difficulty: Quantity.schema.nullish(),
    time: Uint64.schema.nullish(),
    gasLimit: Uint64.schema.nullish(),
    feeRecipient: Address.schema.nullish(),
    prevRandao: Hash.schema.nullish(),
    baseFeePerGas: Quantity.schema.nullish(),
    blobBaseFee: Quantity.schema.nullish(),
    beaconRoot: Hash.schema.nullish(),
    withdrawals: limitedList(withdrawal, { max: maxWithdrawals }).nullish(),
  },
  { error: 'expected an object of block members' },
)

export const BlockOverrides: WireType<BlockOverride> = inputType(
  blockMembers
    .meta({ id: 'BlockOverrides', title: 'block overrides', description: 'What the call sees of its block' })
    .transform(
      (given) =>
        // The nulls are removed, and every other value has the type of its member.
        Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as BlockOverride,
    ),
)
