import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'
import { callOver, makeRemoteChain, type Receipt, type RemoteChain } from './support/remoteChain.ts'

/** A chain that is not kept makes its blocks on the main thread, which may not wait for a remote: it gets a thread then. */
let remote: TestNode
let node: TestNode
let chain: RemoteChain
beforeAll(async () => {
  remote = await startTestNode('--ephemeral', '--chain-id=4242')
  chain = await makeRemoteChain(callOver(remote.http))
  node = await startTestNode('--ephemeral')
})
afterAll(async () => {
  await node?.close()
  await remote?.close()
})

test('a chain that is not kept can be reset to a fork, and back', async () => {
  const call = callOver(node.http)
  const ask = callOver(remote.http)
  const [from = ''] = await call<string[]>('eth_accounts')
  const send = async (): Promise<Receipt> =>
    call<Receipt>(
      'eth_getTransactionReceipt',
      await call('eth_sendTransaction', { from, to: chain.box, value: '0x1', gas: '0x186a0' }),
    )
  await call('eth_sendTransaction', { from, to: from, value: '0x1' })
  await call('anvil_reset', { forking: { jsonRpcUrl: remote.http, blockNumber: chain.forkBlock } })
  expect(await call('eth_blockNumber')).toBe(`0x${chain.forkBlock.toString(16)}`)
  expect(await call('eth_getCode', chain.box, 'latest')).toBe(await ask('eth_getCode', chain.box, 'latest'))
  // The contract takes no value; that it was executed shows that its code was there.
  expect(Number((await send()).blockNumber)).toBe(chain.forkBlock + 1)
  await call('hardhat_reset')
  expect(await call('eth_blockNumber')).toBe('0x0')
  expect(Number((await send()).blockNumber)).toBe(1)
})
