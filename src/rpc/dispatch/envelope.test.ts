import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { type Body, isInvalidCall, maxDepth, parseBody, readLongBody } from './envelope.ts'

/** A method that takes an object by name gets it as its only parameter; which ones do is the dispatcher's to say. */
const readParams = (id: string | undefined, method: string, params: unknown): Verdict => {
  if (Array.isArray(params)) return { id, method, params }
  return typeof params === 'object' && params !== null
    ? { id, method, params: [params] }
    : { id, code: -32602 }
}

/**
 * A second reading of the envelope rules, written for clarity alone: it parses the text character by character into a
 * tree that keeps everything, and looks at the tree.
 */
interface Node {
  readonly raw: string
  readonly depth: number
  readonly items?: readonly Node[]
  readonly members?: readonly (readonly [name: string, value: Node])[]
}

const parseTree = (text: string): Node => {
  let at = 0
  const skipSpace = (): void => {
    while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at++
  }
  const readToken = (): string => {
    const [token = ''] = /^(?:"(?:[^"\\]|\\.)*"|[^\s,\]}:]+)/s.exec(text.slice(at)) ?? []
    at += token.length
    return token
  }
  const readList = <T>(close: string, readItem: () => T): T[] => {
    const list: T[] = []
    for (at++, skipSpace(); text.charAt(at) !== close; skipSpace()) {
      if (text.charAt(at) === ',') at++
      skipSpace()
      list.push(readItem())
    }
    at++
    return list
  }
  const depthOf = (nodes: readonly Node[]): number => 1 + Math.max(0, ...nodes.map(({ depth }) => depth))
  const readValue = (): Node => {
    skipSpace()
    const start = at
    const raw = (): string => text.slice(start, at)
    if (text.charAt(at) === '[') {
      const items = readList(']', readValue)
      return { raw: raw(), depth: depthOf(items), items }
    }
    if (text.charAt(at) !== '{') return { raw: readToken(), depth: 0 }
    const members = readList('}', () => {
      const name = JSON.parse(readToken()) as string
      skipSpace()
      at++
      return [name, readValue()] as const
    })
    return { raw: raw(), depth: depthOf(members.map(([, value]) => value)), members }
  }
  return readValue()
}

type Verdict =
  | { id: string | undefined; code: number }
  | { id: string | undefined; method: string; params: unknown }

const judgeCall = ({ members }: Node): Verdict => {
  if (members === undefined) return { id: 'null', code: -32600 }
  const known = ['jsonrpc', 'id', 'method', 'params']
  const names = members.map(([name]) => name)
  const valuesOf = (wanted: string): string[] =>
    members.filter(([name]) => name === wanted).map(([, { raw }]) => raw)
  const [id, ...moreIds] = valuesOf('id')
  const isIdType = id !== undefined && !['{', '[', 't', 'f'].includes(id.charAt(0))
  const invalid = { id: isIdType && moreIds.length === 0 ? id : 'null', code: -32600 }
  const isStray = (name: string): boolean =>
    name === '__proto__' || (!known.includes(name) && known.includes(name.toLowerCase()))
  if (known.some((name) => valuesOf(name).length > 1) || names.some(isStray)) return invalid
  const parsed = (name: string): unknown => JSON.parse(valuesOf(name)[0] ?? 'null')
  if (parsed('jsonrpc') !== '2.0' || (id !== undefined && !isIdType)) return invalid
  const method = parsed('method')
  if (typeof method !== 'string') return invalid
  const params = parsed('params') ?? []
  return readParams(id, method, params)
}

const judge = (text: string, limit: number): Verdict | Verdict[] => {
  try {
    JSON.parse(text)
  } catch {
    return { id: 'null', code: -32700 }
  }
  const tree = parseTree(text)
  const { items } = tree
  if (items === undefined) return tree.depth > maxDepth ? { id: 'null', code: -32600 } : judgeCall(tree)
  if (items.length === 0) return { id: 'null', code: -32600 }
  if (items.length <= limit && tree.depth > maxDepth) return { id: 'null', code: -32600 }
  const verdicts = items.map(judgeCall)
  if (items.length <= limit) return verdicts
  return { id: verdicts.find(({ id }) => id !== undefined)?.id ?? 'null', code: -32600 }
}

const toVerdict = (body: Body): unknown => {
  const calls = (body.kind === 'batch' ? body.calls : [body.call]).map((call) => {
    if (isInvalidCall(call)) return { id: call.id, code: call.error.code }
    const { id, method, params } = call
    return { id, method, params }
  })
  return body.kind === 'batch' ? calls : calls[0]
}

const read = (text: string, limit: number): unknown => toVerdict(parseBody(text, limit))

/** Reads in the way of long bodies, in pieces of so many characters. */
const readInPieces = (text: string, limit: number, length: number): unknown => {
  const work = readLongBody(text, limit, length)
  for (;;) {
    const step = work.next()
    if (step.done === true) return toVerdict(step.value)
  }
}

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/)
const jsonText = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))

/** The same name in other spellings: JSON escapes, and letters of the other case. */
const nameText = fc
  .tuple(fc.constantFrom('jsonrpc', 'id', 'method', 'params', '__proto__', 'other'), fc.nat(40))
  .map(([name, spelling]) => {
    if (spelling === 0) return `"${name.toUpperCase()}"`
    if (spelling > 3) return `"${name}"`
    const first = name.charCodeAt(0).toString(16).padStart(4, '0')
    return `"\\u${first}${name.slice(1)}"`
  })

const objectText = (members: readonly (readonly [string, string])[], gap: string): string =>
  `{${gap}${members.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`${gap},${gap}`)}${gap}}`

const idText = fc.oneof(
  fc.constantFrom(
    '1',
    '-0',
    '1.50',
    '1e3',
    '123456789012345678901234567890',
    'null',
    'true',
    '"\\u0041"',
    '""',
  ),
  jsonText,
)

/** Calls that are nearly right, so that each rule is met often. */
const likelyCall = fc
  .tuple(
    idText,
    fc.constantFrom('"2.0"', '"2.0"', '"2.0"', '"1.0"', '2', '"2\\u002e0"'),
    fc.oneof(fc.constant('"test_echo"'), jsonText),
    fc.oneof(
      fc.array(jsonText).map((items) => `[${items}]`),
      jsonText,
    ),
    fc.nat(30),
    fc.array(fc.tuple(nameText, jsonText), { maxLength: 1 }),
    space,
  )
  .map(([id, version, method, params, leftOut, more, gap]) => {
    const members = [
      ['"jsonrpc"', version],
      ['"id"', id],
      ['"method"', method],
      ['"params"', params],
    ] as const
    return objectText([...members.filter((_, index) => index !== leftOut), ...more], gap)
  })

const anyCall = fc.oneof(
  { arbitrary: likelyCall, weight: 5 },
  fc.tuple(fc.array(fc.tuple(nameText, jsonText)), space).map(([members, gap]) => objectText(members, gap)),
  jsonText,
)

const body = fc.oneof(
  anyCall,
  fc
    .tuple(fc.array(anyCall, { maxLength: 8 }), space)
    .map(([calls, gap]) => `${gap}[${calls.join(`${gap},`)}${gap}]`),
)

describe('the envelope', () => {
  test('any JSON is read as the rules say, and nothing is thrown', slow, () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 99 }), (text, length) => {
        expect(read(text, 5)).toEqual(judge(text, 5))
        expect(readInPieces(text, 5, length)).toEqual(judge(text, 5))
      }),
      { numRuns: 3000 },
    )
  })

  test('any text at all gets a response', slow, () => {
    const broken = fc.tuple(body, fc.nat(), fc.string({ maxLength: 3 })).map(([text, place, noise]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + noise + text.slice(at + 1)
    })
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), broken),
        fc.integer({ min: 1, max: 99 }),
        (text, length) => {
          expect(read(text, 5)).toEqual(judge(text, 5))
          expect(readInPieces(text, 5, length)).toEqual(judge(text, 5))
        },
      ),
      { numRuns: 1500 },
    )
  })

  test.each([0, 1, 2])('depth is counted alike in all places, %i calls before', (before) => {
    const deep = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
    for (const depth of [60, 62, 64, 66]) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[${deep(depth)}]}`
      expect(read(call, 5)).toEqual(judge(call, 5))
      const batch = `[${'{"jsonrpc":"2.0","id":7,"method":"a"},'.repeat(before)}${call}]`
      expect(read(batch, 5)).toEqual(judge(batch, 5))
      for (const length of [1, 20, 200, 2000]) {
        expect(readInPieces(call, 5, length)).toEqual(judge(call, 5))
        expect(readInPieces(batch, 5, length)).toEqual(judge(batch, 5))
      }
    }
  })
})
