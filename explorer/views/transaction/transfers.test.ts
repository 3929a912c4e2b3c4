import { encodeAbiParameters, toEventSelector, parseAbi as viemAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeLog } from '../../abi/describe.ts'
import { forgetAbi, giveAbi } from '../../abi/registry.ts'
import type { Hex, Log } from '../../rpc/types.ts'

let transfersOf: typeof import('./transfers.tsx').transfersOf

beforeAll(async () => {
  // What views are made of looks at the address when it is loaded.
  vi.stubGlobal('location', { href: 'http://node.example/#/', hash: '#/' })
  vi.stubGlobal('localStorage', { setItem: () => {}, removeItem: () => {} })
  ;({ transfersOf } = await import('./transfers.tsx'))
})
beforeEach(() => forgetAbi(other))
afterAll(async () => {
  await forgetAbi(other)
  vi.unstubAllGlobals()
})

const token: Hex = `0x${'a1'.repeat(20)}`
/** A contract whose ABI was given, while nobody gave that of the token. */
const other: Hex = `0x${'b2'.repeat(20)}`
const [operator, from, to] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`) as [Hex, Hex, Hex]

const give = (...events: readonly string[]) => giveAbi(other, 'Other', JSON.stringify(viemAbi(events)))

const word = (value: Hex | bigint): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

const logOf = (signature: string, indexed: readonly (Hex | bigint)[], data: Hex): Log => ({
  address: token,
  topics: [toEventSelector(signature), ...indexed.map(word)],
  data,
  blockNumber: '0x1',
  transactionHash: '0x',
  logIndex: '0x5',
})

const transfer = 'Transfer(address,address,uint256)'
const fungible = logOf(transfer, [from, to], word(7n))
const item = logOf(transfer, [from, to, 9n], '0x')
const single = logOf(
  'TransferSingle(address,address,address,uint256,uint256)',
  [operator, from, to],
  `${word(4n)}${word(5n).slice(2)}`,
)
const batch = logOf(
  'TransferBatch(address,address,address,uint256[],uint256[])',
  [operator, from, to],
  encodeAbiParameters(
    [{ type: 'uint256[]' }, { type: 'uint256[]' }],
    [
      [1n, 2n],
      [10n, 20n],
    ],
  ),
)

const expected = [
  { from, to, amount: 7n, id: undefined },
  { from, to, amount: undefined, id: 9n },
  { from, to, amount: 5n, id: 4n },
  { from, to, amount: 10n, id: 1n },
  { from, to, amount: 20n, id: 2n },
]

describe('token transfers', () => {
  test.each([
    ['of no ABI', []],
    [
      'of an ABI with names of its own',
      [
        'event Transfer(address indexed src, address indexed dst, uint256 wad)',
        'event TransferSingle(address indexed, address indexed, address indexed, uint256 _id, uint256 _amount)',
        'event TransferBatch(address indexed by, address indexed _from, address indexed _to, uint256[] _ids, uint256[] amounts)',
      ],
    ],
    [
      'of an ABI that says nothing of topics',
      [
        'event Transfer(address src, address dst, uint256 wad)',
        'event TransferSingle(address a, address b, address c, uint256 d, uint256 e)',
        'event TransferBatch(address a, address b, address c, uint256[] d, uint256[] e)',
      ],
    ],
  ])('are read by where their values stand, with the names %s', async (_, events) => {
    if (events.length > 0) await give(...events)
    const found = [fungible, item, single, batch].flatMap(transfersOf)
    expect(found).toMatchObject(expected)
    expect(transfersOf(batch).map(({ key }) => key)).toEqual(['0x5.0', '0x5.1'])
  })

  test('of an ABI that has a list as a topic there are none, as only its hash is known', async () => {
    await give(
      'event TransferBatch(address indexed by, address indexed from, address to, uint256[] indexed ids, uint256[] values)',
    )
    const data = encodeAbiParameters([{ type: 'address' }, { type: 'uint256[]' }], [to, [10n]])
    const log = { ...batch, topics: [...batch.topics.slice(0, 3), word(77n)], data }
    expect(describeLog(log)?.values[3]).toMatchObject({ name: 'ids', value: word(77n) })
    expect(transfersOf(log)).toEqual([])
  })

  test('an event that only shares the name moves nothing', async () => {
    await give('event Transfer(address indexed from, address indexed to, bytes32 what)')
    expect(transfersOf(logOf('Transfer(address,address,bytes32)', [from, to], word(7n)))).toEqual([])
  })
})

test('the ABI of one standard names no values of another', async () => {
  await give('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)')
  expect(describeLog(fungible)?.values.at(-1)).toMatchObject({ name: 'value', value: 7n })
  expect(describeLog(item)?.values.at(-1)).toMatchObject({ name: 'tokenId', value: 9n })
})
