import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Access lists on a chain for development, where `cast access-list` asks for those of an account without funds. */

const nobody = `0x${'00'.repeat(20)}`
const store = `0x${'c2'.repeat(20)}`

let node: TestNode
beforeAll(async () => {
  node = await startTestNode('--ephemeral')
  // It reads slot 5.
  await node.call('anvil_setCode', store, '0x60055400')
})
afterAll(() => node.close())

test.each([{}, { from: nobody }])('of nobody who names no fees need no funds: %o', async (sender) => {
  expect(await node.call('eth_createAccessList', { ...sender, to: store }, 'latest')).toMatchObject({
    accessList: [{ address: store, storageKeys: [`0x${'5'.padStart(64, '0')}`] }],
  })
})

test('of an account, or with fees, need them', async () => {
  const failure = await node.failure('eth_createAccessList', {
    from: nobody,
    to: store,
    gasPrice: '0x77359400',
  })
  const poor = await node.failure('eth_createAccessList', { from: `0x${'99'.repeat(20)}`, to: store })
  expect(poor).toMatchObject({ code: -32000 })
  expect(failure).toMatchObject({ code: -32000, message: expect.stringContaining('insufficient funds') })
})
