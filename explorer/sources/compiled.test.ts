import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chainChanges } from '../live/live.ts'
import { type NodeFacts, nodeFacts } from '../live/node.ts'
import { findCompiled, giveBuildInfo } from './compiled.ts'
import { placesOf } from './places.ts'

/** A node whose answers the test gives. */
let answer: (method: string, params: readonly unknown[]) => unknown
const asked: [string, readonly unknown[]][] = []

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

beforeEach(() => {
  asked.length = 0
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  vi.stubGlobal('fetch', async (_: URL, { body }: { readonly body: string }) => {
    const reply = ({ id, method, params }: Request) => {
      asked.push([method, params])
      return { id, result: answer(method, params) }
    }
    const json = JSON.parse(body) as Request | readonly Request[]
    return new Response(JSON.stringify(Array.isArray(json) ? json.map(reply) : reply(json as Request)))
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  nodeFacts.set(undefined)
})

const library = `__$${'a'.repeat(34)}$__`
const address = '11'.repeat(20)

const buildInfo = (content: string, code: string, references: unknown = {}) =>
  JSON.stringify({
    input: { sources: { 'a.sol': { content } }, settings: {} },
    output: {
      sources: { 'a.sol': { id: 0, ast: { nodes: ['a tree'] } } },
      contracts: {
        'a.sol': {
          [content]: {
            abi: [],
            metadata: 'much text',
            evm: {
              deployedBytecode: { object: code, sourceMap: '0:1:0', linkReferences: references },
            },
          },
        },
      },
    },
  })

test('a library that is not linked has any address', async () => {
  const references = { 'l.sol': { L: [{ start: 1, length: 20 }] } }
  expect(await giveBuildInfo(buildInfo('Linked', `73${library}00`, references))).toBe('taken')
  expect(await findCompiled(`0x73${address}00`, false)).toMatchObject({ name: 'Linked' })
  expect(await findCompiled(`0x73${address}01`, false)).toBeUndefined()
})

test('references outside of the code are ignored', async () => {
  const references = {
    'l.sol': {
      L: [null, { start: -1, length: 5 }, { start: 0, length: -5 }, { start: 0, length: 1e12 }, {}],
    },
    'm.sol': null,
  }
  expect(await giveBuildInfo(buildInfo('Odd', '60015b', references))).toBe('taken')
  expect(await findCompiled('0x60015b', false)).toMatchObject({ name: 'Odd' })
})

test('any file that a compiler did not write is rejected', async () => {
  for (const text of ['null', '{}', '[]', '{"input":{"sources":null},"output":{"contracts":{}}}'])
    expect(await giveBuildInfo(text)).toBe('noBuildInfo')
  expect(await giveBuildInfo('{')).toBe('noJson')
  const odd =
    '{"input":{"sources":{"a":null}},"output":{"contracts":{"a":null,"b":{"C":null}},"sources":{"a":null}}}'
  expect(await giveBuildInfo(odd)).toBe('taken')
})

test('a node for development gets what it reads and nothing else', async () => {
  nodeFacts.set({ isDev: true } as NodeFacts)
  answer = () => true
  expect(await giveBuildInfo(buildInfo('Sent', '6001'))).toBe('taken')
  const [method, [, input, output]] = asked[0] as [string, unknown[]]
  expect(method).toBe('hardhat_addCompilationResult')
  expect(input).toEqual({ sources: { 'a.sol': { content: 'Sent' } } })
  expect(JSON.stringify(output)).not.toMatch(/tree|much text/)
  expect(output).toMatchObject({
    sources: { 'a.sol': { id: 0 } },
    contracts: { 'a.sol': { Sent: { abi: [], evm: { deployedBytecode: { object: '6001' } } } } },
  })
})

test('a contract that was deployed again shows the lines of its new code', async () => {
  await giveBuildInfo(buildInfo('Old', '60015b01'))
  await giveBuildInfo(buildInfo('New', '60025b02'))
  const contract = `0x${address}` as const
  const step = { depth: 1, address: contract, code: contract }
  let code = '0x60015b01'
  answer = (method) => (method === 'eth_getCode' ? code : { blockNumber: '0x1' })
  expect((await placesOf('0x01', step))?.name).toBe('Old')
  code = '0x60025b02'
  // Another transaction, of the same contract.
  expect((await placesOf('0x02', step))?.name).toBe('New')
  // The same transaction on a chain that went back and had it again.
  chainChanges.set(chainChanges.get() + 1)
  expect((await placesOf('0x01', step))?.name).toBe('New')
  const before = asked.length
  await Promise.all(Array.from({ length: 20 }, () => placesOf('0x01', step)))
  expect(asked.length).toBe(before)
})
