import { z } from 'zod'

/**
 * A type of value as it travels: `schema` checks and decodes what came in, `encode` turns what a handler returns into
 * JSON. Handlers see the inner form only.
 */
export interface WireType<T> {
  readonly schema: z.ZodType<T>
  // A method, not a property: a parameter list holds types of all kinds, and only `defineMethod` ties each to its own.
  encode(value: T): unknown
}

/** A type that is the same on both sides. */
export const plainType = <Schema extends z.ZodType>(schema: Schema): WireType<z.output<Schema>> => ({
  schema: schema as z.ZodType<z.output<Schema>>,
  encode: (value) => value,
})

/** A type that only ever comes in, as a parameter. */
export const inputType = <T>(schema: z.ZodType<T>): WireType<T> => ({
  schema,
  encode: () => {
    throw new TypeError('this type is not for results')
  },
})

/** A string of a fixed form. `wanted` completes the sentence "expected …" in errors and is the schema's description. */
export const patternString = (pattern: RegExp, wanted: string): z.ZodString => {
  const error = `expected ${wanted}`
  // `abort`: in a union the union's own words count, which name all choices.
  return z.string({ error }).regex(pattern, { error, abort: true }).describe(wanted)
}
