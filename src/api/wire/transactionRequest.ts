import { z } from 'zod'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { namesOf } from '../../base/json/memberNames.ts'
import type { SignableTransactionRequest, TransactionRequest } from '../../chain/transaction/request.ts'
import { callFailed } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { Address, Bytes32, Data, Hash } from './data.ts'
import { Quantity, Uint64, wholeNumber } from './quantity.ts'

/** The maximum of the lists of an access list: what the gas of a large block (60,000,000) pays for. */
const maxWarm = 32_768

/** The maximum of delegations, likewise. */
const maxAuthorizations = 4_096

/** The maximum of blobs, more than any chain allows in a transaction, and of their proofs by cell (EIP-7594). */
const maxBlobs = 128
const maxProofs = 128 * maxBlobs

const accessList = limitedList(
  z.object({ address: Address.schema, storageKeys: limitedList(Bytes32.schema, { max: maxWarm }) }),
  { max: maxWarm },
).meta({ id: 'AccessList', title: 'access list', description: 'Addresses and slots made warm (EIP-2930)' })

const authorization = z.object({
  chainId: Quantity.schema,
  address: Address.schema,
  nonce: Uint64.schema,
  yParity: Uint64.schema
    .refine((parity) => parity < 256n, { error: 'expected a QUANTITY of at most 8 bits' })
    .transform(Number),
  r: Quantity.schema,
  s: Quantity.schema,
})

const typeWanted = 'a transaction type: a QUANTITY or a whole number below 256'

/** The transaction type. web3.py sends what its user wrote, mostly a number; geth ignores the member. */
const transactionType = z.union([Uint64.schema, wholeNumber(0, 255, typeWanted).transform(BigInt)], {
  error: `expected ${typeWanted}`,
})

const members = {
  from: Address.schema.describe('The sender'),
  to: Address.schema.describe('The recipient; missing for a contract creation'),
  gas: Uint64.schema.describe('The gas limit'),
  gasLimit: Uint64.schema.describe('The same as gas'),
  gasPrice: Quantity.schema.describe('Wei per unit of gas, before EIP-1559'),
  maxFeePerGas: Quantity.schema.describe('The most wei per unit of gas, base fee included'),
  maxPriorityFeePerGas: Quantity.schema.describe('The tip in wei per unit of gas'),
  value: Quantity.schema.describe('Wei to send'),
  nonce: Uint64.schema,
  data: Data.schema.describe('Call data or init code'),
  input: Data.schema.describe('The same as data'),
  accessList,
  chainId: Quantity.schema,
  type: transactionType.describe('The transaction type (EIP-2718)'),
  maxFeePerBlobGas: Quantity.schema,
  blobVersionedHashes: limitedList(Hash.schema, { max: maxBlobs }),
  blobs: limitedList(Data.schema, { max: maxBlobs }),
  commitments: limitedList(Data.schema, { max: maxBlobs }),
  proofs: limitedList(Data.schema, { max: maxProofs }),
  authorizationList: limitedList(authorization, { max: maxAuthorizations }).describe(
    'Delegations to set (EIP-7702)',
  ),
}

type Members = typeof members

/** The same members, each optional or null. Unknown members are ignored, because clients send additional ones. */
const nullish = Object.fromEntries(
  Object.entries(members).map(([name, schema]) => [name, schema.nullish()]),
) as { [Name in keyof Members]: z.ZodOptional<z.ZodNullable<Members[Name]>> } // the same names, each optional or null

type Given = z.output<z.ZodObject<typeof nullish>>

/** Checks the two names of the gas limit; geth has only `gas`. */
const checkGas = ({ gas, gasLimit }: Given, context: z.RefinementCtx): void => {
  if (gas == null || gasLimit == null || gas === gasLimit) return
  context.addIssue({
    code: 'custom',
    message: 'expected gas and gasLimit to be equal where both are given',
  })
}

/** Checks the two names of the data, with geth's error for a transaction that is to be signed. */
const checkData = ({ data, input }: Given, context: z.RefinementCtx): void => {
  if (data == null || input == null || equalBytes(data, input)) return
  const message =
    'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data'
  context.addIssue({ code: 'custom', message, params: { rpcError: callFailed(message) } })
}

const toRequest = ({ gasLimit, input, ...given }: Given): TransactionRequest => {
  const request: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) if (value != null) request[name] = value
  if (gasLimit != null) request.gas = gasLimit
  if (input != null) request.data = input
  return request // the same members, without the nulls
}

const checkSigned = (given: Given, context: z.RefinementCtx): void => {
  checkGas(given, context)
  checkData(given, context)
}

const error = 'expected a transaction object'

const request = z.object(nullish, { error }).meta({ id: 'TransactionRequest', title: 'transaction request' })

/** The members of nearly all calls, and what they are of the request. */
const usualMembers: ReadonlyMap<string, readonly [name: string, type: WireType<unknown>]> = new Map([
  ['from', ['from', Address]],
  ['to', ['to', Address]],
  ['gas', ['gas', Uint64]],
  ['value', ['value', Quantity]],
  ['data', ['data', Data]],
  ['input', ['data', Data]],
])

/** Decodes a request that has usual members only, each of them once. */
const decodeUsual = (given: unknown): TransactionRequest | undefined => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const request: Record<string, unknown> = {}
  // One by one: a request may have a hundred thousand members, and the first unusual one decides.
  const members = given as Readonly<Record<string, unknown>>
  for (const member of namesOf(members)) {
    const usual = usualMembers.get(member)
    const decoded = usual?.[1].decodeUsual?.(members[member])
    if (usual === undefined || decoded === undefined || request[usual[0]] !== undefined) return undefined
    request[usual[0]] = decoded
  }
  return request // the members of a request, each decoded by its type
}

/** A transaction to execute. Where `data` and `input` differ, `input` counts, as in geth. */
export const Transaction: WireType<TransactionRequest> = inputType(
  request.superRefine(checkGas).transform(toRequest),
  decodeUsual,
)

/** A transaction to fill in, whose `data` and `input` must not differ. */
export const UnfilledTransaction: WireType<TransactionRequest> = inputType(
  request.superRefine(checkSigned).transform(toRequest),
)

/** A transaction that an account of the node signs. */
export const SenderTransaction: WireType<SignableTransactionRequest> = inputType(
  z
    .object({ ...nullish, from: members.from }, { error })
    .meta({ id: 'OwnTransaction', title: 'transaction request with its sender' })
    .superRefine(checkSigned)
    .transform((given): SignableTransactionRequest => ({ ...toRequest(given), from: given.from })),
)
