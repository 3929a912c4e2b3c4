import { z } from 'zod'

/**
 * The wire form of a type of value: `schema` checks and decodes what a client sent, `encode` turns what a handler
 * returns into JSON. Handlers see only the decoded form.
 */
export interface WireType<T> {
  readonly schema: z.ZodType<T>
  // A method, not a property, so that a parameter list can hold wire types of different values.
  encode(value: T): unknown
}

/** Returns a wire type whose decoded form is its JSON form. */
export const plainType = <Schema extends z.ZodType>(schema: Schema): WireType<z.output<Schema>> => ({
  schema: schema as z.ZodType<z.output<Schema>>,
  encode: (value) => value,
})

/** Returns a wire type for parameters only. */
export const inputType = <T>(schema: z.ZodType<T>): WireType<T> => ({
  schema,
  encode: () => {
    throw new TypeError('this type is not for results')
  },
})

/**
 * Returns the schema of a string with a fixed form. `wanted` completes "expected …" in errors and is the schema's
 * description.
 */
export const patternString = (pattern: RegExp, wanted: string): z.ZodString => {
  const error = `expected ${wanted}`
  // `abort`, so that in a union the error text of the union is shown, which names all choices.
  return z.string({ error }).regex(pattern, { error, abort: true }).describe(wanted)
}
