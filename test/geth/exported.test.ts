import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChain, serveChain } from '../support/programs/chainFiles.ts'
import { findGeth } from '../support/programs/findProgram.ts'
import type { RpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { createGenesis } from './genesis.ts'
import { serveInGeth } from './gethChain.ts'

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const chainId = 4_711
/** Stores 7 at slot 1 and leaves one byte of code. */
const initCode = '0x600760015560006000526001601ff3'

const script = async (node: RpcClient): Promise<void> => {
  for (let nonce = 0; nonce < 4; nonce++) {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas: 200_000n,
      value: 5n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      ...(nonce === 0 ? { data: initCode } : { to: account.address }),
    })
    await node.call('eth_sendRawTransaction', raw)
  }
}

describe('a chain that was made here', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryHome()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const make = (name: string, genesis?: object) => {
    const part = join(folder, name)
    mkdirSync(part)
    return createChain({
      folder: part,
      ...(genesis && { genesis }),
      flags: [`--chain-id=${chainId}`],
      script,
    })
  }

  test('is the same each time when it begins in the future', slow, async () => {
    const genesis = createGenesis(chainId, { [account.address]: { balance: '0xffffffffffffffffff' } })
    const [first, second] = [await make('first', genesis), await make('second', genesis)]
    expect(readFileSync(second.chain)).toEqual(readFileSync(first.chain))
    expect(readFileSync(second.genesis)).toEqual(readFileSync(first.genesis))
  })

  test('is executed by geth to the same blocks, from the genesis file of a first start too', async (ctx) => {
    const geth = findGeth()
    if (geth === undefined) return ctx.skip('geth is neither on the path nor named by GETH')
    const files = await make('own')
    const peer = await serveInGeth(files, { geth, folder: join(folder, 'geth') })
    const own = await serveChain(files, join(folder, 'served'))
    try {
      for (const number of ['0x0', '0x1', '0x4', 'latest']) {
        const expected = await peer.client.call('eth_getBlockByNumber', number, true)
        expect(await own.client.call('eth_getBlockByNumber', number, true)).toEqual(expected)
        const receipts = await peer.client.call('eth_getBlockReceipts', number)
        expect(await own.client.call('eth_getBlockReceipts', number)).toEqual(receipts)
      }
      expect(await peer.client.call('eth_blockNumber')).toBe('0x4')
    } finally {
      await own.close()
      await peer.close()
    }
  })
})
