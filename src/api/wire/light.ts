import { z } from 'zod'
import type { WitnessQuestion } from '../../chain/port/executor.ts'
import { limitExceeded } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { BlockNumberOrInteger } from './block.ts'
import { Address, Bytes32, dataText, Hash, hashText } from './data.ts'
import { BlockOverrides, StateOverrides } from './overrides.ts'
import { wholeNumber } from './quantity.ts'
import { SimulationRequest } from './simulation.ts'
import { Transaction } from './transactionRequest.ts'

/** What light clients ask for at once, at most. */
export const lightLimits = { heights: 64, accounts: 256, slots: 1024, headers: 1024, codes: 1024 } as const

/** The blocks whose signed headers are wanted. */
export const LightHeights = inputType(
  limitedList(BlockNumberOrInteger.schema, {
    max: lightLimits.heights,
    error: 'expected an array of block numbers',
  }),
)

export const LightBlocks = plainType(
  z.array(
    z
      .object({
        height: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'the height'),
        hash: hashText.describe('Of the native header'),
        signedHeader: z.unknown().describe('CometBFT’s header and commit'),
        validators: z
          .array(z.unknown())
          .nullable()
          .describe('CometBFT’s validators of this block; null where they are the known ones'),
        header: dataText.describe(
          'RLP of the Ethereum header of the block before, whose hash is the app hash',
        ),
      })
      .meta({ id: 'LightBlock', title: 'light block' }),
  ),
)

const provenAccount = z.object(
  {
    address: Address.schema,
    slots: limitedList(Bytes32.schema, {
      max: lightLimits.slots,
      error: 'expected an array of slots',
    }).nullish(),
    code: z.boolean().nullish().describe('Whether its code is wanted too'),
  },
  { error: 'expected an object with address, slots and code' },
)

export interface ProofRequest {
  readonly accounts: readonly {
    readonly address: Uint8Array
    readonly slots: readonly Uint8Array[]
    readonly hasCode: boolean
  }[]
  /** How many headers are wanted, the newest of them that of the block. */
  readonly headers: number
  readonly hasBlock: boolean
  readonly hasReceipts: boolean
}

const countSlots = (accounts: readonly unknown[]) => {
  let count = 0
  for (const account of accounts) {
    const slots = (account as { readonly slots?: unknown } | null)?.slots
    if (Array.isArray(slots)) count += slots.length
  }
  return count > lightLimits.slots
    ? limitExceeded(`too many slots: ${count}, at most ${lightLimits.slots} in one call`)
    : undefined
}

/** What is wanted of one block and its state, with proofs. */
export const ProofRequestType: WireType<ProofRequest> = inputType(
  z
    .object(
      {
        accounts: limitedList(provenAccount, {
          max: lightLimits.accounts,
          error: 'expected an array of accounts',
          check: countSlots,
        }).nullish(),
        headers: wholeNumber(0, lightLimits.headers, `at most ${lightLimits.headers} headers`).nullish(),
        block: z.boolean().nullish().describe('Whether the whole block is wanted'),
        receipts: z.boolean().nullish().describe('Whether all receipts are wanted'),
      },
      { error: 'expected an object with accounts, headers, block and receipts' },
    )
    .meta({ id: 'ProofRequest', title: 'proof request' })
    .transform(({ accounts, headers, block, receipts }) => ({
      accounts: (accounts ?? []).map(({ address, slots, code }) => ({
        address,
        slots: slots ?? [],
        hasCode: code ?? false,
      })),
      headers: headers ?? 0,
      hasBlock: block ?? false,
      hasReceipts: receipts ?? false,
    })),
)

const nodes = z.array(dataText).describe('Nodes of the tries, each once')
const codes = z.array(dataText).describe('Codes, each once')
const headers = z.array(dataText).describe('Headers in RLP, the oldest first')

export const Proofs = plainType(
  z
    .object({
      nodes,
      codes,
      headers,
      block: dataText.nullable().describe('The block in RLP'),
      receipts: z.array(dataText).nullable().describe('The receipts as the root commits to them'),
    })
    .meta({ id: 'Proofs', title: 'proofs' }),
)

const kinds = {
  eth_call: 'call',
  eth_estimateGas: 'estimate',
  eth_createAccessList: 'accessList',
  eth_simulateV1: 'simulate',
} as const

/** A call of one of these methods, without its block. */
export const WitnessQuestionType: WireType<WitnessQuestion> = inputType(
  z
    .object(
      {
        method: z.enum(Object.keys(kinds) as [keyof typeof kinds]),
        transaction: Transaction.schema.nullish(),
        stateOverrides: StateOverrides.schema.nullish(),
        blockOverrides: BlockOverrides.schema.nullish(),
        simulation: SimulationRequest.schema.nullish(),
      },
      { error: 'expected an object with method, and transaction or simulation' },
    )
    .refine(
      ({ method, transaction, simulation }) =>
        method === 'eth_simulateV1' ? simulation != null : transaction != null,
      { error: 'expected the transaction of a call, or the simulation of eth_simulateV1' },
    )
    .meta({ id: 'WitnessQuestion', title: 'witness request' })
    .transform(({ method, transaction, stateOverrides, blockOverrides, simulation }): WitnessQuestion => {
      const kind = kinds[method]
      // One of them is there, as was checked above.
      if (kind === 'simulate') return { kind, simulation: simulation as NonNullable<typeof simulation> }
      const request = transaction as NonNullable<typeof transaction>
      return {
        kind,
        call: {
          request,
          stateOverrides: stateOverrides ?? undefined,
          blockOverrides: blockOverrides ?? undefined,
        },
      }
    }),
)

/** The hashes of codes that the client has already. */
export const KnownCodes = inputType(
  limitedList(Hash.schema, { max: lightLimits.codes, error: 'expected an array of hashes' }),
)

export const CallWitnessType = plainType(
  z.object({ nodes, codes, headers }).meta({ id: 'CallWitness', title: 'call witness' }),
)
