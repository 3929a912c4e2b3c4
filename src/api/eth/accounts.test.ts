import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { secp256k1 } from '../../base/crypto/crypto.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { Accounts } from '../../keystore/accounts.ts'

const owner = `0x${'11'.repeat(20)}`
const locked: Accounts = { list: () => [fromHex(owner)], has: () => true, sign: () => undefined }

test('a locked account does not sign', async () => {
  expect(await callApi('eth_sign', [owner, '0x00'], { accounts: locked })).toMatchObject({
    code: -32000,
    message: 'authentication needed: password or unlock',
  })
})

/** A chain as it was before London: no base fee, one price. */
const oldChain = fakeChain({
  config: parseChainConfig({ chainId: 7, homesteadBlock: 0 }),
  head: () => ({ number: 0, hash: new Uint8Array(32), time: 0 }),
  blocks: { header: () => ({ baseFeePerGas: undefined }) as never },
  fees: { suggestTip: () => 20n },
  pool: { nextNonce: async () => 4n },
  executor: { estimateGas: async () => ({ gas: 21_000n, failure: undefined }) },
})

test.each([
  [{}, '0x0'],
  [{ accessList: [] }, '0x1'],
])('before London %j is of type %s', async (members, type) => {
  const request = { from: owner, to: owner, ...members }
  expect(await callApi('eth_fillTransaction', [request], { chain: oldChain })).toMatchObject({
    tx: { type, gasPrice: '0x14', nonce: '0x4', gas: '0x5208', chainId: '0x7' },
  })
})

test('a delegation is kept', async () => {
  const authorization = { chainId: '0x7', address: owner, nonce: '0x0', yParity: '0x1', r: '0x2', s: '0x3' }
  const request = { from: owner, to: owner, authorizationList: [authorization] }
  expect(await callApi('eth_fillTransaction', [request], { chain: oldChain })).toMatchObject({
    tx: { type: '0x4', authorizationList: [authorization] },
  })
})

test('nothing is sent that could not be signed', async () => {
  const sent: Uint8Array[] = []
  const pool = {
    nextNonce: () => 0n,
    submit: async (raw: Uint8Array) => {
      sent.push(raw)
      return raw.subarray(0, 32)
    },
    waitForSeal: async () => {},
    counts: () => ({ pending: 0, queued: 0 }),
  }
  const chain = fakeChain({
    config: parseChainConfig({ chainId: 7, homesteadBlock: 0 }),
    head: () => ({ number: 0, hash: new Uint8Array(32), time: 0 }),
    blocks: { header: () => ({ baseFeePerGas: 1n }) as never },
    fees: { suggestTip: () => 20n },
    state: () => ({ balance: () => 1n }) as never,
    executor: { estimateGas: async () => ({ gas: 21_000n, failure: undefined }) },
    pool,
  })
  const request = [{ from: owner, to: owner }]
  expect(await callApi('eth_sendTransaction', request, { chain, accounts: locked })).toHaveProperty(
    'code',
    -32000,
  )
  expect(sent).toHaveLength(0)
  const key = new Uint8Array(32).fill(1)
  const unlocked: Accounts = { ...locked, sign: (_address, hash) => secp256k1.sign(hash, key) }
  expect(await callApi('eth_sendTransaction', request, { chain, accounts: unlocked })).toMatch(/^0x02f8/)
  expect(sent).toHaveLength(1)
})
