import { z } from 'zod'
import { fromHex } from '../../base/encoding/hex.ts'
import { type TypedData, TypedDataError } from '../../chain/signing/typedData.ts'
import type { NamedValue } from '../../chain/signing/typedDataV1.ts'
import { invalidParams, type RpcError } from '../../rpc/errors.ts'
import { limitedList, limitedRecord } from '../../rpc/limitedTypes.ts'
import { boundedString, inputType, type WireType } from '../../rpc/wireType.ts'
import { Address } from './data.ts'

/** The longest name of a type, with its array brackets, and of a member. */
const maxTypeLength = 256

/**
 * The maximum of types, and of the members of all of them and of a struct. The text of each type holds the types that it
 * refers to, so that their number multiplies the work.
 */
const maxTypes = 64
const maxMembers = 1_024

const struct = limitedRecord(z.string(), z.unknown(), { max: maxMembers })

const type = limitedList(
  z.object({ name: boundedString(maxTypeLength), type: boundedString(maxTypeLength) }),
  { max: maxMembers },
)

/** Counts the members of all types before one of them is decoded. */
const checkMembers = (types: Readonly<Record<string, unknown>>): RpcError | undefined => {
  let count = 0
  for (const members of Object.values(types)) if (Array.isArray(members)) count += members.length
  if (count <= maxMembers) return undefined
  return invalidParams(
    `invalid argument 1 (typedData.types): expected at most ${maxMembers} members in all, got ${count}`,
  )
}

const members = z
  .object(
    {
      types: limitedRecord(z.string(), type, { max: maxTypes, check: checkMembers }).describe(
        'The members of each type, in order',
      ),
      primaryType: z.string().describe('The type of the message'),
      domain: struct.describe('What the signature is for: name, version, chainId, verifyingContract, salt'),
      message: struct,
    },
    { error: 'expected an object with types, primaryType, domain and message, or its JSON' },
  )
  .meta({ id: 'TypedData', title: 'typed data', description: 'EIP-712' })

/** Parses typed data (EIP-712) that is a string. MetaMask and ethers send it so, viem and others as an object. */
const parse = (text: string, context: z.RefinementCtx): TypedData => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'expected typed data as JSON' })
    return z.NEVER
  }
  const checked = members.safeParse(given)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  if (issue !== undefined) {
    const { path, message } = issue
    context.addIssue({
      code: 'custom',
      path,
      message,
      params: issue.code === 'custom' ? issue.params : undefined,
    })
  }
  return z.NEVER
}

const textOrObject = z.union([z.string(), members], {
  error: 'expected typed data (EIP-712), as an object or as JSON',
})

export const TypedDataType: WireType<TypedData> = inputType(
  textOrObject.transform((given, context) => (typeof given === 'string' ? parse(given, context) : given)),
)

const isAddress = /^0x[0-9a-fA-F]{40}$/

const namedValues = limitedList(
  z.object({ type: boundedString(maxTypeLength), name: boundedString(maxTypeLength), value: z.unknown() }),
  { max: maxMembers },
)

/** The first argument of eth_signTypedData: who signs or, before EIP-712, what. */
export const AddressOrNamedValues: WireType<Uint8Array | readonly NamedValue[]> = inputType(
  z.union([Address.schema, namedValues], { error: 'expected an address, or a list of named values' }),
)

/** The second argument of eth_signTypedData. */
export const TypedDataOrAddress: WireType<Uint8Array | TypedData> = inputType(
  textOrObject.transform((given, context) => {
    if (typeof given !== 'string') return given
    return isAddress.test(given) ? fromHex(given) : parse(given, context)
  }),
)

/** Runs `work` and converts its error for data that does not match its types to one for invalid parameters. */
export const checkTypedData = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (error instanceof TypedDataError)
      throw invalidParams(`invalid argument 1 (typedData): ${error.message}`)
    throw error
  }
}
