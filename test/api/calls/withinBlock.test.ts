import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { startTestNode, type TestNode } from '../../support/node.ts'

/** eth_callMany before a transaction of a block. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const nobody = `0x${'77'.repeat(20)}`
const watcher = `0x${'88'.repeat(20)}`
/** Returns the balance of `nobody` and the number of the block. */
const code = `0x73${nobody.slice(2)}315f524360205260405ff3`

let node: TestNode
let height: number
let transactions: readonly string[]

const quantity = (value: number): string => `0x${value.toString(16)}`

/** Transfers of one wei until a block has some of them. */
const fillBlock = async (): Promise<void> => {
  for (;;) {
    const send = () => node.call<string>('eth_sendTransaction', { from: alice, to: nobody, value: '0x1' })
    const hashes = await Promise.all([send(), send(), send(), send()])
    const mined = () => node.call<{ blockNumber: string } | null>('eth_getTransactionReceipt', hashes[3])
    await eventually(async () => (await mined()) !== null)
    const number = (await mined())?.blockNumber
    const block = await node.call<{ transactions: string[] }>('eth_getBlockByNumber', number, false)
    height = Number(number)
    transactions = block.transactions
    if (transactions.length >= 3) return
  }
}

beforeAll(async () => {
  node = await startTestNode('--block-time=400ms')
  await fillBlock()
})
afterAll(() => node.close())

const seenBefore = async (transactionIndex: number | undefined): Promise<readonly bigint[]> => {
  const [[outcome]] = await node.call<[[{ value: string }]]>(
    'eth_callMany',
    [{ transactions: [{ to: watcher }] }],
    { blockNumber: quantity(height), transactionIndex },
    { [watcher]: { code } },
  )
  return [outcome.value.slice(0, 66), `0x${outcome.value.slice(66)}`].map(BigInt)
}

test('each index sees the transactions before it, in the block itself', async () => {
  const below = BigInt(await node.call<string>('eth_getBalance', nobody, quantity(height - 1)))
  for (let index = 0; index <= transactions.length; index++)
    expect(await seenBefore(index)).toEqual([below + BigInt(index), BigInt(height)])
  const end = [below + BigInt(transactions.length), BigInt(height)]
  expect(await seenBefore(-1)).toEqual(end)
  expect(await seenBefore(undefined)).toEqual(end)
})

test('an index past the block, the pending block and genesis', async () => {
  const failure = (context: unknown) =>
    node.failure('eth_callMany', [{ transactions: [{ to: watcher }] }], context)
  expect(await failure({ blockNumber: quantity(height), transactionIndex: 99 })).toEqual({
    code: -32000,
    message: `transaction index 99 is past the ${transactions.length} of the block`,
  })
  expect(await failure({ blockNumber: 'pending', transactionIndex: 0 })).toMatchObject({ code: -32000 })
  expect(await failure({ blockNumber: '0x0', transactionIndex: 1 })).toMatchObject({ code: -32000 })
  expect(await failure({ blockNumber: '0xffffff', transactionIndex: 0 })).toEqual({
    code: -32000,
    message: 'header not found',
  })
})
