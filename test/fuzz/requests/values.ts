import type { JsonSchema } from '../../../src/rpc/openrpc.ts'
import type { Random } from '../../support/random.ts'
import type { SchemaValues } from '../../support/rpc/schemaValues.ts'

/** Texts that mean something to the node that is asked: accounts, hashes, ids. */
export type KnownTexts = readonly string[]

const tags = ['latest', 'pending', 'earliest', 'safe', 'finalized']
const words = [
  '',
  'name',
  'newHeads',
  'logs',
  'traceChain',
  'callTracer',
  'prestateTracer',
  '4byteTracer',
  'muxTracer',
  '{result: function() { return 1 }, fault: function() {}, step: function() {}}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'keystore://a',
  'eth=5,rpc=3',
  '\u0000',
  '\ud800',
  '\u{1f600}\u202e',
]
const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  255,
  256,
  1e9,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  5e-324,
]

/** The names under which code could reach what it must not. */
const oddNames = ['__proto__', 'constructor', 'prototype', 'toString', 'length', '', '0', 'x']

/** Makes arguments from the schemas of parameters: mostly valid, some nearly so, some large, some deep. */
export class ArgumentGenerator {
  readonly #schemas: SchemaValues
  readonly #random: Random
  readonly #known: KnownTexts
  readonly #makersByPattern = new Map<string, readonly (() => string)[]>()

  constructor(schemas: SchemaValues, known: KnownTexts, random: Random) {
    this.#schemas = schemas
    this.#known = known
    this.#random = random
  }

  /** Returns a value for a schema. One in five is not what the schema asks for. */
  next(schema: JsonSchema, depth = 0): unknown {
    const roll = this.#random.fraction()
    if (roll < 0.8) return this.#valid(schema, depth)
    if (roll < 0.88) return this.any(2)
    if (roll < 0.94) return this.#mutated(this.#valid(schema, depth))
    if (roll < 0.98) return this.#random.pick(numbers)
    if (roll < 0.996) return this.#deep()
    return depth > 3 ? null : this.#large(schema)
  }

  /** Returns any JSON value. */
  any(depth: number): unknown {
    const random = this.#random
    switch (random.below(depth > 0 ? 8 : 6)) {
      case 0:
        return null
      case 1:
        return random.chance(0.5)
      case 2:
        return random.pick(numbers)
      case 3:
        return random.pick(words)
      case 4:
        return this.#hex(random.below(70))
      case 5:
        return random.pick(tags)
      case 6:
        return Array.from({ length: random.below(4) }, () => this.any(depth - 1))
      default:
        return Object.fromEntries(
          Array.from({ length: random.below(4) }, () => [random.pick(oddNames), this.any(depth - 1)]),
        )
    }
  }

  #valid(schema: JsonSchema, depth: number): unknown {
    const random = this.#random
    const chosen = random.pick(this.#schemas.choices(schema))
    if (Array.isArray(chosen.enum)) return random.pick(chosen.enum)
    if ('const' in chosen) return chosen.const
    const type: unknown = Array.isArray(chosen.type) ? random.pick(chosen.type) : chosen.type
    switch (type) {
      case 'string':
        return typeof chosen.pattern === 'string' ? this.#text(chosen.pattern) : random.pick(words)
      case 'integer':
      case 'number':
        return this.#number(chosen)
      case 'boolean':
        return random.chance(0.5)
      case 'array':
        return Array.from({ length: random.below(4) }, () => this.next(asSchema(chosen.items), depth + 1))
      case 'object':
        return this.#object(chosen, depth)
      case 'null':
        return null
      default:
        return this.any(2)
    }
  }

  #number({ minimum, maximum }: JsonSchema): number {
    const random = this.#random
    const low = typeof minimum === 'number' ? minimum : 0
    const high = typeof maximum === 'number' ? maximum : 1000
    return random.pick([low, high, low + random.below(Math.min(high - low + 1, 1000)), low - 1, high + 1])
  }

  #object(schema: JsonSchema, depth: number): Record<string, unknown> {
    const random = this.#random
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
    const made: Record<string, unknown> = {}
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      if (random.chance(required.includes(name) ? 0.97 : 0.25)) made[name] = this.next(member, depth + 1)
    }
    const { additionalProperties, propertyNames } = schema
    if (typeof additionalProperties === 'object' && additionalProperties !== null) {
      for (let left = random.below(3); left > 0; left--) {
        const name = this.next(asSchema(propertyNames), depth + 1)
        made[typeof name === 'string' ? name : JSON.stringify(name)] = this.next(
          asSchema(additionalProperties),
          depth + 1,
        )
      }
    }
    if (random.chance(0.05)) made[random.pick(oddNames)] = this.any(2)
    return made
  }

  #text(pattern: string): string {
    let makers = this.#makersByPattern.get(pattern)
    if (makers === undefined) {
      const form = new RegExp(pattern)
      const fitting = this.#makers().filter((make) => form.test(make()))
      const known = this.#known.filter((text) => form.test(text))
      makers = known.length > 0 ? [...fitting, () => this.#random.pick(known)] : fitting
      this.#makersByPattern.set(pattern, makers)
    }
    return makers.length === 0 ? this.#random.pick(words) : this.#random.pick(makers)()
  }

  /** A maker for each form of text that the methods know. */
  #makers(): readonly (() => string)[] {
    const random = this.#random
    const bytes = (length: number) => () => this.#hex(2 * length)
    return [
      () => `0x${random.integer(256).toString(16)}`,
      () => `0x${random.integer(64).toString(16)}`,
      () => `0x${random.below(20).toString(16)}`,
      () => this.#hex(2 * random.below(100)),
      () => '0x',
      () => random.pick(tags),
      bytes(20),
      bytes(32),
      bytes(8),
      bytes(256),
      () => this.#hex(64).slice(2),
      () => `${random.below(100)}ms`,
      () => `${this.#hex(40).slice(2)}@127.0.0.1:${random.below(65_536)}`,
      () => 'name',
      () => `${Buffer.from(random.bytes(32)).toString('base64')}`,
    ]
  }

  #hex(digits: number): string {
    return `0x${Buffer.from(this.#random.bytes(Math.ceil(digits / 2)))
      .toString('hex')
      .slice(0, digits)}`
  }

  /** Returns a value that differs a little: a character, an element or a member more or less. */
  #mutated(value: unknown): unknown {
    const random = this.#random
    if (typeof value === 'string') {
      const at = random.below(value.length + 1)
      return (
        value.slice(0, at) +
        random.pick(['', '0', 'g', ' ', '-', '\u0000', 'x']) +
        value.slice(at + random.below(2))
      )
    }
    if (typeof value === 'number') return random.pick([-value, value + 0.5, String(value), [value]])
    if (Array.isArray(value)) return random.pick([[...value, null], [value], value.slice(1), { 0: value[0] }])
    if (typeof value === 'object' && value !== null)
      return random.pick([[value], { ...value, x: 1 }, Object.keys(value)])
    return [value]
  }

  /** Returns a nested value, below the limit of depth or above. */
  #deep(): unknown {
    const random = this.#random
    const depth = random.pick([10, 55, 62, 64, 70, 500])
    let value: unknown = random.pick(words)
    for (let level = 0; level < depth; level++) value = random.chance(0.5) ? [value] : { a: value }
    return value
  }

  /** Returns a value of a few hundred to a hundred thousand elements, of the right type or of another. */
  #large(schema: JsonSchema): unknown {
    const random = this.#random
    const length = 2 ** (8 + random.below(10)) + random.below(3)
    const fill = random.pick([{}, null, 0, [], '0x', true])
    switch (random.below(6)) {
      case 0:
        return `0x${'f'.repeat(length)}`
      case 1:
        return random.pick(words).repeat(length).slice(0, length)
      case 2:
        return new Array(length).fill(fill)
      case 3:
        return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, fill]))
      case 4:
        return Object.fromEntries(
          Array.from({ length: Math.min(length, 20_000) }, (_, index) => [
            `0x${index.toString(16).padStart(random.pick([40, 64]), '0')}`,
            fill,
          ]),
        )
      default: {
        const element = this.#schemas.choices(schema).find(({ items }) => items !== undefined)?.items
        return new Array(length).fill(element === undefined ? fill : this.#schemas.sample(asSchema(element)))
      }
    }
  }
}

const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
