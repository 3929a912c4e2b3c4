import { z } from 'zod'

/**
 * The wire form of a type of value: `schema` checks and decodes what a client sent, `encode` turns what a handler
 * returns into JSON. Handlers see only the decoded form.
 */
export interface WireType<T> {
  readonly schema: z.ZodType<T>
  // Methods, not properties, so that a parameter list can hold wire types of different values.
  encode(value: T): unknown
  /**
   * Decodes the usual form of a value without the schema. It returns undefined for everything else, also for what is
   * wrong: the schema then judges it and has the words for it.
   */
  decodeUsual?(given: unknown): T | undefined
  /** Returns the JSON of what `encode` returns, where it is a string in which nothing has to be escaped. */
  encodeJson?(value: T): string
}

/** Returns a wire type whose decoded form is its JSON form. */
export const plainType = <Schema extends z.ZodType>(schema: Schema): WireType<z.output<Schema>> => ({
  schema: schema as z.ZodType<z.output<Schema>>,
  encode: (value) => value,
})

/** Returns a wire type for parameters only. */
export const inputType = <T>(
  schema: z.ZodType<T>,
  decodeUsual: (given: unknown) => T | undefined = () => undefined,
): WireType<T> => ({
  schema,
  encode: () => {
    throw new TypeError('this type is not for results')
  },
  decodeUsual,
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

/**
 * A string type whose checks run on strings alone. zod runs those of a length on every value with a member `length`, and
 * an object may have one that cannot be compared.
 */
const StringAlone = z.core.$constructor<z.ZodString>('StringAlone', (inst, def) => {
  z.ZodString.init(inst, def)
  inst._zod.parse = (payload) => {
    const given: unknown = payload.value
    if (typeof given !== 'string')
      payload.issues.push({ code: 'invalid_type', expected: 'string', input: given, inst, continue: false })
    return payload
  }
})

/** Returns the schema of a string of at most `max` characters. */
export const boundedString = (
  max: number,
  error = `expected a string of at most ${max} characters`,
): z.ZodString => new StringAlone({ type: 'string', error: () => error }).max(max, { error })

interface DecodedStringDef extends z.core.$ZodPipeDef {
  readonly decodeUsual: (given: unknown) => unknown
}

/** A text of more characters is not matched with its pattern to find out that it is wrong, which takes long. */
const maxMatched = 1024

/** A text that no pattern of a decoded string has. */
const noMatch = '?'

/** A pipe from a string to its value that goes the long way, on which issues are made, only for what is wrong. */
const DecodedString = z.core.$constructor<z.ZodPipe, DecodedStringDef>('DecodedString', (inst, def) => {
  z.ZodPipe.init(inst, def)
  const parseSlowly = inst._zod.parse
  inst._zod.parse = (payload, context) => {
    const given: unknown = payload.value
    const usual = def.decodeUsual(given)
    if (usual === undefined) {
      // The issue is the same: what it shows of the value is taken from the parameter.
      if (typeof given === 'string' && given.length > maxMatched) payload.value = noMatch
      return parseSlowly(payload, context)
    }
    payload.value = usual
    return payload
  }
})

/** Returns the function that decodes what is right for a schema of `decodedString` and nothing else. */
export const usualDecoderOf = (schema: z.core.$ZodType): ((given: unknown) => unknown) | undefined =>
  (schema._zod.def as Partial<DecodedStringDef>).decodeUsual

/**
 * Returns the schema of a string of `patternString` that is decoded. Lists have tens of thousands of them, so that one costs
 * no more than its pattern and its decoding. `decodeUsual` returns undefined for whatever does not have the pattern; by
 * default the pattern itself is tried.
 */
export const decodedString = <T>(
  text: z.ZodString,
  decode: (text: string) => T,
  decodeUsual: (text: string) => T | undefined = usualByPattern(text, decode),
): z.ZodType<T> => {
  const long = {
    type: 'pipe' as const,
    in: text,
    out: z.transform((given: unknown) => decode(String(given))),
    decodeUsual: (given: unknown) => (typeof given === 'string' ? decodeUsual(given) : undefined),
  }
  // The constructor knows pipes of any type only; this one gives what `decode` returns.
  return new DecodedString(long) as unknown as z.ZodType<T>
}

const usualByPattern = <T>(text: z.ZodString, decode: (text: string) => T) => {
  const pattern = text._zod.def.checks
    ?.map((check) => (check._zod.def as { readonly pattern?: unknown }).pattern)
    .find((candidate) => candidate instanceof RegExp)
  if (pattern === undefined) throw new TypeError('the string has no pattern')
  return (given: string): T | undefined => (pattern.test(given) ? decode(given) : undefined)
}
