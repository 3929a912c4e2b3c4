import { z } from 'zod'
import { toQuantity } from '../../base/encoding/hex.ts'
import { decodedString, inputType, patternString, type WireType } from '../../rpc/wireType.ts'

const quantityPattern = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/

/** QUANTITY as text, for results that are JSON already. It has at most 256 bits, as all numbers of the EVM. */
export const quantityText = patternString(
  quantityPattern,
  'a QUANTITY: 0x and hex digits without leading zeros, at most 256 bits',
).meta({ id: 'Quantity', title: 'QUANTITY' })

export const uint64Pattern = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/

export const uint64Text = patternString(
  uint64Pattern,
  'a QUANTITY: 0x and hex digits without leading zeros, at most 64 bits',
).meta({ id: 'Uint64', title: 'QUANTITY of at most 64 bits' })

const integerType = (text: z.ZodString, pattern: RegExp): WireType<bigint> => ({
  schema: decodedString(text, BigInt),
  decodeUsual: (given) => (typeof given === 'string' && pattern.test(given) ? BigInt(given) : undefined),
  encode: toQuantity,
  encodeJson: (value) => `"${toQuantity(value)}"`,
})

/** A non-negative integer of at most 256 bits. */
export const Quantity = integerType(quantityText, quantityPattern)

/** A non-negative integer of at most 64 bits: nonces, gas, block numbers, indices. */
export const Uint64 = integerType(uint64Text, uint64Pattern)

/** Returns the schema of an integer that is a JSON number, for durations, rates and levels, which are not QUANTITY. */
export const wholeNumber = (min: number, max: number, wanted: string): z.ZodNumber => {
  const error = `expected ${wanted}`
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ description: wanted })
}

const integerWanted = 'a QUANTITY of at most 64 bits or a whole number'
const integer = wholeNumber(0, Number.MAX_SAFE_INTEGER, integerWanted)

/** An integer of at most 64 bits that may also be a JSON number, as the explorers of the field send it. */
export const Uint64OrInteger: WireType<bigint> = inputType(
  z
    .union([Uint64.schema, integer.transform(BigInt)], { error: `expected ${integerWanted}` })
    .meta({ description: integerWanted }),
)
