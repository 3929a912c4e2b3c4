import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Abi, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toHex } from '../../src/base/encoding/hex.ts'
import { validatorContractAddress } from '../../src/chain/validators/contract.ts'
import { scheduleContractAddress } from '../../src/chain/validators/schedule.ts'
import { slow } from '../support/slow.ts'
import { Agreement } from './agreement.ts'
import { describeNetwork, isWholeRun } from './describeNetwork.ts'
import { Wallet } from './ledger.ts'
import { call, heightOf, receiptOf, waitForHeight } from './rpcHelpers.ts'
import { type Network, type NetworkNode, startHomes, writeHomes } from './testnet.ts'

const { address, abi } = JSON.parse(
  readFileSync(new URL('../../docs/forkSchedule.json', import.meta.url), 'utf8'),
) as { readonly address: `0x${string}`; readonly abi: Abi }

interface Status {
  readonly mode: string
  readonly fork: string
  readonly forks: readonly { readonly name: string; readonly at: string; readonly known: boolean }[]
  readonly versions: { readonly engine: string | null }
}

/** How far ahead the fork is scheduled, and how long the load goes on after it, in seconds. */
const aheadSeconds = isWholeRun ? 30 : 5
const afterSeconds = isWholeRun ? 30 : 1
const senders = isWholeRun ? [1, 2, 3, 4, 5, 6] : [1, 2]
const validators = isWholeRun ? 4 : 2
const pollMs = 100

/** Takes a fork from the genesis of the homes; the contracts of validators follow from its config. */
const removeFork = (folder: string, member: 'osakaTime' | 'fullBlocksTime'): void => {
  const path = join(folder, 'genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8'))
  delete genesis.config[member]
  delete genesis.alloc[toHex(validatorContractAddress)]
  delete genesis.alloc[toHex(scheduleContractAddress)]
  writeFileSync(path, JSON.stringify(genesis))
}

/** A call of the precompile of EIP-7951 with a valid signature. */
const createP256Call = () => {
  const message = Buffer.from('perihelion')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const hash = createHash('sha256').update(message).digest()
  const signature = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const point = [x, y].map((part) => Buffer.from(part, 'base64url'))
  return {
    to: '0x0000000000000000000000000000000000000100',
    data: toHex(Buffer.concat([hash, signature, ...point])),
  }
}
const p256 = createP256Call()

describeNetwork('a running network that is upgraded from Prague to Osaka under load', slow, () => {
  let network: Network
  beforeAll(async () => {
    const { folder, homes } = await writeHomes(validators)
    removeFork(folder, 'osakaTime')
    network = await startHomes(folder, homes)
  })
  afterAll(async () => network?.stop())

  const first = (): NetworkNode => network.nodes[0] as NetworkNode
  const statusOf = (node: NetworkNode): Promise<Status> => call<Status>(node, 'perihelion_status')

  it('goes on, and all nodes have the new rules from the same block on', async () => {
    expect(await statusOf(first())).toMatchObject({ mode: 'cometbft', fork: 'prague', forks: [] })
    expect(await call(first(), 'eth_call', p256, 'latest')).toBe('0x')

    let isLoaded = true
    const hashes: string[] = []
    const load = Promise.all(
      senders.map(async (index) => {
        const wallet = new Wallet(index)
        const node = network.nodes[index % network.nodes.length] as NetworkNode
        while (isLoaded) {
          const hash = await call<string>(node, 'eth_sendRawTransaction', await wallet.sign())
          hashes.push(hash)
          await sleep(pollMs / 2)
        }
      }),
    )

    const admin = new Wallet(0)
    const time = BigInt(Math.floor(Date.now() / 1000) + aheadSeconds)
    const data = encodeFunctionData({ abi, functionName: 'schedule', args: ['osaka', time, ''] })
    const raw = await admin.sign({ to: address, data, gas: 300_000n })
    const receipt = await receiptOf(first(), await call(first(), 'eth_sendRawTransaction', raw))
    expect(receipt.status).toBe('0x1')
    const scheduledAt = Number(receipt.blockNumber)
    for (const node of network.nodes) {
      await waitForHeight(node, scheduledAt)
      const status = await statusOf(node)
      if (status.fork === 'prague')
        expect(status.forks).toEqual([
          {
            name: 'osaka',
            at: `0x${time.toString(16)}`,
            by: 'time',
            known: true,
            version: null,
            problem: null,
          },
        ])
      const { current, next } = await call<Record<string, { readonly activationTime: number }>>(
        node,
        'eth_config',
      )
      expect([current?.activationTime, next?.activationTime]).toContain(Number(time))
    }

    while ((await statusOf(first())).fork !== 'osaka') await sleep(pollMs)
    await sleep(afterSeconds * 1000)
    isLoaded = false
    await load
    for (const hash of hashes) expect((await receiptOf(first(), hash)).status).toBe('0x1')
    const height = await heightOf(first())
    for (const node of network.nodes) {
      await waitForHeight(node, height)
      expect((await statusOf(node)).fork).toBe('osaka')
      expect(await call(node, 'eth_call', p256, 'latest')).toBe(`0x${'00'.repeat(31)}01`)
      await expect(
        call(node, 'eth_sendRawTransaction', await new Wallet(9).sign({ gas: 20_000_000n })),
      ).rejects.toThrow('transaction gas limit too high')
    }
    const agreement = new Agreement(network.nodes)
    await agreement.check()
    expect(agreement.blocks).toBeGreaterThan(height)
  })
})

describeNetwork('a running network that is upgraded to blocks that are full by use', slow, () => {
  let network: Network
  beforeAll(async () => {
    const { folder, homes } = await writeHomes(validators)
    removeFork(folder, 'fullBlocksTime')
    network = await startHomes(folder, homes)
  })
  afterAll(async () => network?.stop())

  const wallets = [1, 2, 3, 4, 5].map((index) => new Wallet(index))

  /** Sends thirty transfers with gas limits of 16.7 million, and returns how many of them each block has. */
  const sendCheap = async (node: NetworkNode): Promise<readonly number[]> => {
    const hashes: string[] = []
    for (let round = 0; round < 6; round++)
      for (const wallet of wallets)
        hashes.push(await call(node, 'eth_sendRawTransaction', await wallet.sign({ gas: 16_700_000n })))
    const counts = new Map<number, number>()
    for (const hash of hashes) {
      const { status, blockNumber } = await receiptOf(node, hash)
      expect(status).toBe('0x1')
      const number = Number(blockNumber)
      counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    return [...counts.values()]
  }

  it('has three transactions in each block before, more in one after, and agrees on all', async () => {
    const [first] = network.nodes as [NetworkNode]
    const before = await sendCheap(first)
    expect(Math.max(...before)).toBe(3)

    const time = BigInt(Math.floor(Date.now() / 1000) + aheadSeconds)
    const data = encodeFunctionData({ abi, functionName: 'schedule', args: ['fullBlocks', time, ''] })
    const raw = await new Wallet(0).sign({ to: address, data, gas: 300_000n })
    const receipt = await receiptOf(first, await call(first, 'eth_sendRawTransaction', raw))
    expect(receipt.status).toBe('0x1')
    for (const node of network.nodes) await waitForHeight(node, Number(receipt.blockNumber))
    while (
      (await call<{ timestamp: string }>(first, 'eth_getBlockByNumber', 'latest', false)).timestamp <
      `0x${time.toString(16)}`
    )
      await sleep(pollMs)

    const after = await sendCheap(first)
    expect(Math.max(...after)).toBeGreaterThan(3)
    expect(after.length).toBeLessThan(before.length)
    const height = await heightOf(first)
    for (const node of network.nodes) await waitForHeight(node, height)
    const agreement = new Agreement(network.nodes)
    await agreement.check()
    expect(agreement.blocks).toBeGreaterThan(height)
  })
})
