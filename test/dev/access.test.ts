import { afterEach, expect, test } from 'vitest'
import { devMethods } from '../../src/api/dev/methods.ts'
import type { Caller } from '../../src/rpc/access/access.ts'
import { checkAccess } from '../../src/rpc/access/access.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Who may call dev methods, and where there are none. */

const local: Caller = { transport: 'http', address: '127.0.0.1', isLocal: true, authorizedUntil: 0 }
const remote: Caller = { ...local, address: '10.1.2.3', isLocal: false }

test('callers on this machine may, and others where the operator lets them', () => {
  for (const { name, access } of devMethods) {
    expect(checkAccess(access, name, local, { allowInsecureUnlock: false }, 1)).toBeUndefined()
    expect(checkAccess(access, name, remote, { allowInsecureUnlock: false }, 1)).toMatchObject({ code: 4100 })
    expect(checkAccess(access, name, remote, { allowInsecureUnlock: true }, 1)).toBeUndefined()
    expect(
      checkAccess(access, name, { ...remote, authorizedUntil: 2 }, { allowInsecureUnlock: false }, 1),
    ).toBeUndefined()
  }
})

let node: TestNode | undefined
afterEach(async () => {
  await node?.close()
  node = undefined
})

test('outside the dev profile their namespaces are off', async () => {
  node = await startTestNode('--ephemeral', '--json-rpc.api=eth,net,web3')
  for (const name of ['anvil_mine', 'hardhat_mine', 'evm_mine'])
    expect(await node.failure(name)).toMatchObject({ code: -32601 })
  // What was set by dev methods does not count where they are off.
  const nobody = `0x${'77'.repeat(20)}`
  expect(await node.failure('eth_sendUnsignedTransaction', { from: nobody, to: nobody })).toMatchObject({
    code: -32004,
  })
})

test('a chain whose blocks others make has none', async () => {
  node = await startTestNode('--ephemeral', '--engine=none', '--dev', '--json-rpc.api=eth,evm,anvil')
  expect(await node.failure('evm_mine')).toMatchObject({ code: -32004 })
  expect(await node.failure('anvil_setBalance', `0x${'77'.repeat(20)}`, 1)).toMatchObject({ code: -32004 })
})
