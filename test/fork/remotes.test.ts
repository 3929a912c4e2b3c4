import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeData } from '../support/boxContract.ts'
import { startNodeAt, startTestNode, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { gethFile, startGeth } from './support/geth.ts'
import {
  type Call,
  callOver,
  codeOf,
  makeRemoteChain,
  type Receipt,
  type RemoteChain,
} from './support/remoteChain.ts'

/** A chain that is forked from another node: what is below the fork is the remote's, what is above is local. */

interface Remote {
  readonly url: string
  close(): Promise<void>
}

const startOurs = async (): Promise<Remote> => {
  const node = await startTestNode('--ephemeral', '--chain-id=4242')
  return { url: node.http, close: () => node.close() }
}

const reason = gethFile === undefined ? ' (skipped: there is no geth; GETH or BENCH_PEERS names it)' : ''
const remotes = [
  { name: 'a node of this program', isHere: true, start: startOurs },
  { name: `geth${reason}`, isHere: gethFile !== undefined, start: () => startGeth(gethFile as string) },
]

const dev = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const coin = 10n ** 18n
const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

describe.each(remotes)('forked from $name', ({ isHere, start }) => {
  describe.skipIf(!isHere)('at a block', () => {
    let remote: Remote
    let ask: Call
    let chain: RemoteChain
    let home: string
    let node: TestNode
    let call: Call

    beforeAll(async () => {
      home = temporaryHome()
      remote = await start()
      ask = callOver(remote.url)
      chain = await makeRemoteChain(ask)
      node = await startNodeAt(home, `--fork-url=${remote.url}`, `--fork-block=${chain.forkBlock}`)
      call = callOver(node.http)
    })
    afterAll(async () => {
      await node?.close()
      await remote?.close()
      rmSync(home, { recursive: true, force: true })
    })

    test('the chain goes on from the block of the remote', async () => {
      expect(await call('eth_chainId')).toBe(await ask('eth_chainId'))
      expect(await call('eth_blockNumber')).toBe(hex(chain.forkBlock))
      for (const number of [0, 1, chain.forkBlock])
        expect(await call('eth_getBlockByNumber', hex(number), true)).toEqual(
          await ask('eth_getBlockByNumber', hex(number), true),
        )
      expect(await call('eth_getBlockByNumber', 'latest', false)).toEqual(
        await ask('eth_getBlockByNumber', hex(chain.forkBlock), false),
      )
      expect(await call('eth_getBlockByNumber', hex(chain.forkBlock + 1), false)).toBeNull()
    })

    test('the state is that of the block, not that of the remote now', async () => {
      const at = hex(chain.forkBlock)
      for (const account of [chain.box, chain.holder, `0x${'99'.repeat(20)}`]) {
        expect(await call('eth_getBalance', account, 'latest')).toBe(await ask('eth_getBalance', account, at))
        expect(await call('eth_getCode', account, 'latest')).toBe(await ask('eth_getCode', account, at))
        expect(await call('eth_getTransactionCount', account, 'latest')).toBe(
          await ask('eth_getTransactionCount', account, at),
        )
      }
      expect(await call('eth_getStorageAt', chain.box, '0x0', 'latest')).toBe(word(6n))
      expect(await ask('eth_getStorageAt', chain.box, '0x0', 'latest')).toBe(word(7n))
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
      // Dev accounts are funded, as in anvil.
      expect(BigInt(await call('eth_getBalance', dev, 'latest'))).toBe(10_000n * coin)
    })

    test('what is below the fork is answered by the remote', async () => {
      const [first, second] = chain.stored
      for (const hash of [chain.created, first, second]) {
        expect(await call('eth_getTransactionByHash', hash)).toEqual(
          await ask('eth_getTransactionByHash', hash),
        )
        const receipt = await ask<Receipt>('eth_getTransactionReceipt', hash)
        expect(await call('eth_getTransactionReceipt', hash)).toEqual(receipt)
        const { blockNumber } = receipt
        expect(await call('eth_getBlockReceipts', blockNumber)).toEqual(
          await ask('eth_getBlockReceipts', blockNumber),
        )
        const tracer = { tracer: 'callTracer' }
        expect(await call('debug_traceTransaction', hash, tracer)).toEqual(
          await ask('debug_traceTransaction', hash, tracer),
        )
        expect(await call('debug_traceBlockByNumber', blockNumber, tracer)).toEqual(
          await ask('debug_traceBlockByNumber', blockNumber, tracer),
        )
        // The state after that block.
        expect(await call('eth_getStorageAt', chain.box, '0x0', blockNumber)).toBe(
          await ask('eth_getStorageAt', chain.box, '0x0', blockNumber),
        )
        expect(await call('eth_call', { to: chain.box }, blockNumber)).toBe(
          await ask('eth_call', { to: chain.box }, blockNumber),
        )
      }
    })

    test('what the remote did after the fork is not in the chain', async () => {
      expect(await call('eth_getTransactionByHash', chain.later)).toBeNull()
      expect(await call('eth_getTransactionReceipt', chain.later)).toBeNull()
      const { hash } = await ask<{ hash: string }>('eth_getBlockByNumber', hex(chain.forkBlock + 1), false)
      expect(await call('eth_getBlockByHash', hash, false)).toBeNull()
      expect(await codeOf(call('eth_call', { to: chain.box }, hex(chain.forkBlock + 1)))).toBe(-32000)
    })

    test('transactions, logs and snapshots on top of it', async () => {
      const id = await call('evm_snapshot')
      const sent = await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(9n) })
      const receipt = await call<Receipt>('eth_getTransactionReceipt', sent)
      expect(receipt).toMatchObject({ status: '0x1', blockNumber: hex(chain.forkBlock + 1) })
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(9n))
      const { parentHash, timestamp } = await call<{ parentHash: string; timestamp: string }>(
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      const forkBlock = await ask<{ hash: string; timestamp: string }>(
        'eth_getBlockByNumber',
        hex(chain.forkBlock),
        false,
      )
      expect(parentHash).toBe(forkBlock.hash)
      expect(Number(timestamp)).toBeGreaterThan(Number(forkBlock.timestamp))
      // Logs from both sides of the fork, in their order.
      const logs = await call<{ topics: string[]; blockNumber: string }[]>('eth_getLogs', {
        fromBlock: 'earliest',
        toBlock: 'latest',
        address: chain.box,
      })
      expect(logs.map(({ topics }) => topics[0])).toEqual([word(5n), word(6n), word(9n)])
      expect(await call('debug_traceTransaction', sent, { tracer: 'callTracer' })).toMatchObject({
        to: chain.box,
      })
      expect(await call('evm_revert', id)).toBe(true)
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
      expect(await call('eth_blockNumber')).toBe(hex(chain.forkBlock))
    })

    test('a slot of the remote that is set to zero here is zero, and a deleted account has none of its storage', async () => {
      const id = await call('evm_snapshot')
      await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(0n) })
      expect(await call('eth_getStorageAt', chain.box, '0x0', 'latest')).toBe(word(0n))
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(0n))
      expect(await call('evm_revert', id)).toBe(true)
      expect(await call('eth_getStorageAt', chain.box, '0x0', 'latest')).toBe(word(6n))
    })

    test('an account of the remote can be impersonated', async () => {
      const id = await call('evm_snapshot')
      await call('anvil_impersonateAccount', chain.holder)
      const hash = await call('eth_sendTransaction', { from: chain.holder, to: bob, value: hex(coin / 2n) })
      expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
        status: '0x1',
        from: chain.holder,
      })
      expect(BigInt(await call('eth_getBalance', chain.holder, 'latest'))).toBeLessThan(coin / 2n)
      expect(await call('evm_revert', id)).toBe(true)
      expect(BigInt(await call('eth_getBalance', chain.holder, 'latest'))).toBe(coin)
    })

    test('changes from outside a block are on top of the remote, too', async () => {
      const id = await call('evm_snapshot')
      await call('anvil_setStorageAt', chain.box, '0x0', word(77n))
      await call('anvil_setBalance', chain.holder, hex(5n))
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(77n))
      await call('evm_mine')
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(77n))
      expect(await call('eth_getBalance', chain.holder, 'latest')).toBe('0x5')
      expect(await call('eth_getCode', chain.box, 'latest')).not.toBe('0x')
      expect(await call('evm_revert', id)).toBe(true)
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
    })

    test('the history of fees is of both sides', async () => {
      interface History {
        readonly oldestBlock: string
        readonly baseFeePerGas: readonly string[]
        readonly gasUsedRatio: readonly number[]
        readonly reward: readonly unknown[]
      }
      const id = await call('evm_snapshot')
      const at = hex(chain.forkBlock)
      const below = await ask<History>('eth_feeHistory', '0x2', at, [50])
      expect(await call('eth_feeHistory', '0x2', 'latest', [50])).toEqual(below)
      await call('anvil_mine', 2)
      const across = await call<History>('eth_feeHistory', '0x4', 'latest', [50])
      expect(across.oldestBlock).toBe(below.oldestBlock)
      expect(across.gasUsedRatio).toEqual([...below.gasUsedRatio, 0, 0])
      expect(across.baseFeePerGas.slice(0, 3)).toEqual(below.baseFeePerGas)
      expect(across.baseFeePerGas).toHaveLength(5)
      expect(across.reward).toHaveLength(4)
      const local = await call<History>('eth_feeHistory', '0x2', 'latest', [50])
      expect(local.oldestBlock).toBe(hex(chain.forkBlock + 1))
      expect(await call('evm_revert', id)).toBe(true)
      const unset = await call('evm_snapshot')
      await call('anvil_setNextBlockBaseFeePerGas', '0x12345')
      const set = await call<History>('eth_feeHistory', '0x2', 'latest', [50])
      expect(set.baseFeePerGas).toEqual([...below.baseFeePerGas.slice(0, 2), '0x12345'])
      expect(await call('evm_revert', unset)).toBe(true)
    })

    test('no dump of its state is made: what was deleted here would be missing', async () => {
      expect(await codeOf(call('anvil_dumpState'))).toBe(-32004)
    })

    test('a block hash that nobody knows is an error for state, logs and traces', async () => {
      const blockHash = `0x${'ab'.repeat(32)}`
      for (const [method, ...params] of [
        ['eth_getBalance', chain.box, { blockHash }],
        ['eth_call', { to: chain.box }, { blockHash }],
        ['eth_getLogs', { blockHash }],
        ['debug_traceBlockByHash', blockHash],
      ] as const)
        await expect(call(method, ...params), method).rejects.toThrow(/not found|unknown block/)
      expect(await call('eth_getBlockByHash', blockHash, false)).toBeNull()
      expect(await call('eth_getBlockTransactionCountByHash', blockHash)).toBeNull()
    })

    test('hashes of blocks below the fork are those of the remote', async () => {
      const id = await call('evm_snapshot')
      const probe = `0x${'bb'.repeat(20)}`
      // BLOCKHASH of the number in the call data.
      await call('anvil_setCode', probe, '0x5f35405f5260205ff3')
      await call('anvil_mine', 2)
      for (const number of [1, chain.forkBlock - 1, chain.forkBlock]) {
        const { hash } = await ask<{ hash: string }>('eth_getBlockByNumber', hex(number), false)
        expect(await call('eth_call', { to: probe, data: word(BigInt(number)) }, 'latest')).toBe(hash)
      }
      expect(await call('evm_revert', id)).toBe(true)
    })

    test('nothing is proved or listed, and the fork is told without its keys', async () => {
      expect(await codeOf(call('eth_getProof', chain.box, ['0x0'], 'latest'))).toBe(-32004)
      expect(await codeOf(call('eth_getProof', chain.box, ['0x0'], '0x1'))).toBe(-32004)
      expect(await codeOf(call('debug_dumpBlock', 'latest'))).toBe(-32004)
      const { forkConfig } = await call<{ forkConfig: object }>('anvil_nodeInfo')
      expect(forkConfig).toMatchObject({ forkUrl: remote.url, forkBlockNumber: chain.forkBlock })
      const { forkedNetwork } = await call<{ forkedNetwork: object }>('hardhat_metadata')
      expect(forkedNetwork).toMatchObject({ forkBlockNumber: chain.forkBlock })
    })

    test('blocks far from each other are made with one batch for all of them', slow, async () => {
      const id = await call('evm_snapshot')
      await call('anvil_mine', 300, 12)
      expect(await call('eth_blockNumber')).toBe(hex(chain.forkBlock + 300))
      expect(await call('evm_revert', id)).toBe(true)
    })

    test('another node of the same chain can be asked, one of another chain cannot', async () => {
      await call('anvil_setRpcUrl', `${remote.url}/`)
      expect(await call('eth_getStorageAt', chain.box, '0x123', 'latest')).toBe(word(0n))
      expect(await codeOf(call('anvil_setRpcUrl', node.http.replace('http', 'ftp')))).toBe(-32000)
      const other = await startTestNode('--ephemeral', '--chain-id=77')
      expect(await codeOf(call('anvil_setRpcUrl', other.http))).toBe(-32002)
      await other.close()
      await call('anvil_setRpcUrl', remote.url)
    })

    test('a reset goes to another block, to a chain of its own, and back', async () => {
      await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(9n) })
      const { blockNumber } = await ask<Receipt>('eth_getTransactionReceipt', chain.stored[0])
      await call('anvil_reset', { forking: { jsonRpcUrl: remote.url, blockNumber: Number(blockNumber) } })
      expect(await call('eth_blockNumber')).toBe(blockNumber)
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(5n))
      const sent = await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(11n) })
      expect(await call('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(11n))

      await call('hardhat_reset')
      expect(await call('eth_chainId')).toBe(hex(31_337))
      expect(await call('eth_blockNumber')).toBe('0x0')
      expect(await call('eth_getCode', chain.box, 'latest')).toBe('0x')
      const local = await call('eth_sendTransaction', { from: dev, to: bob, value: '0x1' })
      expect(await call('eth_getTransactionReceipt', local)).toMatchObject({ blockNumber: '0x1' })

      await call('hardhat_reset', { forking: { jsonRpcUrl: remote.url, blockNumber: chain.forkBlock } })
      expect(await call('eth_chainId')).toBe(await ask('eth_chainId'))
      expect(await call('eth_blockNumber')).toBe(hex(chain.forkBlock))
      expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
      expect(BigInt(await call('eth_getBalance', dev, 'latest'))).toBe(10_000n * coin)
    })
  })
})
