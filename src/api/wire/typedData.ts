import { z } from 'zod'
import { type TypedData, TypedDataError } from '../../chain/signing/typedData.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'

/** The longest name of a type, with its array brackets. */
const maxTypeLength = 256

const struct = z.record(z.string(), z.unknown())

const members = z
  .object(
    {
      types: z
        .record(z.string(), z.array(z.object({ name: z.string(), type: z.string().max(maxTypeLength) })))
        .describe('The members of each type, in order'),
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
  for (const { path, message } of checked.error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
}

export const TypedDataType: WireType<TypedData> = inputType(
  z
    .union([z.string(), members], { error: 'expected typed data (EIP-712), as an object or as JSON' })
    .transform((given, context) => (typeof given === 'string' ? parse(given, context) : given)),
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
