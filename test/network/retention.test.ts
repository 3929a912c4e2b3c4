import { afterAll, beforeAll, expect, it } from 'vitest'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import {
  ask,
  askEngine,
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  until,
} from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

const retained = 6
const quantity = (number: number): string => `0x${number.toString(16)}`

describeNetwork('two validators, one of which keeps its newest blocks alone', slow, () => {
  let homes: Homes
  let pruning: HomeProcess
  let keeping: HomeProcess
  let first: { readonly hash: string; readonly number: number }
  const args = ['--min-retain-blocks', `${retained}`]
  const transfers = new TransferLoad()

  const oldestOf = async (node: HomeProcess): Promise<number> => {
    const { blocks } = await callHome<{ blocks: { oldestBlock: string } }>(node, 'eth_capabilities')
    return Number(blocks.oldestBlock)
  }
  const reach = (node: HomeProcess, height: number): Promise<void> =>
    until(`block ${height}`, async () => (await headOf(node)) >= height)

  beforeAll(async () => {
    homes = createHomes(2, 200)
    const [one = '', two = ''] = homes.homes
    pruning = new HomeProcess(one, { args })
    keeping = new HomeProcess(two)
    await Promise.all([pruning.ready(), keeping.ready()])
    const hash = await transfers.send(pruning)
    first = { hash, number: Number((await receiptOf(pruning, hash)).blockNumber) }
  })
  afterAll(async () => homes?.remove())

  it('says what it keeps, and of the rest that it is pruned', async () => {
    await reach(pruning, first.number + 3 * retained)
    await until('the first transfer is pruned', async () => (await oldestOf(pruning)) > first.number)
    const reply = await ask(pruning.http, 'eth_getBlockByNumber', quantity(first.number), false)
    expect(reply.error).toMatchObject({ code: -32002 })
    expect(await callHome(pruning, 'eth_getTransactionReceipt', first.hash)).toBeNull()
    expect(await callHome(keeping, 'eth_getTransactionReceipt', first.hash)).toMatchObject({
      transactionHash: first.hash,
    })
  })

  it('still agrees with the other one about every block that it keeps', async () => {
    const oldest = await oldestOf(pruning)
    for (let number = oldest + 1; number <= oldest + 3; number++) {
      const asked = ['eth_getBlockByNumber', quantity(number), true] as const
      const [mine, other] = await Promise.all([ask(pruning.http, ...asked), ask(keeping.http, ...asked)])
      // It may be pruned by now, which is told.
      if (mine.error === undefined) expect(mine.result).toEqual(other.result)
      else expect(mine.error.code).toBe(-32002)
    }
  })

  it('keeps in its engine what evidence may need', async () => {
    const { sync_info: info } = await askEngine<{ sync_info: { earliest_block_height: string } }>(
      pruning,
      'status',
    )
    expect(info.earliest_block_height).toBe('1')
  })

  it.each([
    ['is stopped', (node: HomeProcess) => node.stop()],
    ['is killed', (node: HomeProcess) => node.kill()],
  ])('goes on with the others after it %s', async (_, end) => {
    await end(pruning)
    pruning = await new HomeProcess(pruning.home, { args }).ready()
    const hash = await transfers.send(pruning)
    const { blockNumber } = await receiptOf(keeping, hash)
    await reach(pruning, Number(blockNumber))
    const asked = ['eth_getBlockByNumber', blockNumber, false] as const
    expect(await callHome(pruning, ...asked)).toEqual(await callHome(keeping, ...asked))
  })
})
