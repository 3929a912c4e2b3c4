import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { type ChainConfig, parseChainConfig } from '../../src/chain/config/chainConfig.ts'
import { unpackChain } from '../geth/traces/fixtures.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { serveChain } from '../support/programs/chainFiles.ts'
import type { RpcClient } from '../support/rpc/rpcClient.ts'
import { describeSome, slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { childCode, openVariedChain, type VariedChain } from './variedChain.ts'
import { type ExecutionWitness, newEvm, verifyWitness } from './verifier.ts'
import { verifyOnVm } from './vmVerifier.ts'

/** The blocks of all chains together, and the seed of the first. */
const count = Number(process.env.WITNESS_BLOCKS ?? 24)
const seed = Number(process.env.SEED ?? 1)
const forks = ['osaka', 'shanghai'] as const
/** A test that is given up goes on in the background and disturbs the next one. */
const timeout = 600_000 + 20_000 * count

/** Whether a block may create the same code itself, so that who knows code by its hash need not have it. */
const mayBeCreated = (code: string): boolean => code === childCode || code.startsWith('0xef0100')

/** Every witness that has one part less. */
const reduced = function* (witness: ExecutionWitness): Generator<ExecutionWitness> {
  for (const name of ['state', 'codes'] as const)
    for (const [index, part] of witness[name].entries())
      if (name === 'state' || !mayBeCreated(part))
        yield { ...witness, [name]: witness[name].filter((_, at) => at !== index) }
  yield { ...witness, headers: witness.headers.slice(1) }
}

const blockOf = (chain: VariedChain, number: number): Uint8Array => {
  const rlp = chain.blocks.blockRlp(number)
  if (rlp === undefined) throw new Error(`there is no block ${number}`)
  return rlp
}

describeSome(1, forks)('a witness of random blocks of %s', (fork) => {
  let chain: VariedChain
  const blocks = Math.ceil(count / forks.length)

  beforeAll(async () => {
    chain = await openVariedChain(fork, seed)
  })
  afterAll(() => chain.close())

  test('executes each of them again, to the same root', { timeout }, async () => {
    const kinds = new Set<string>()
    let merged = 0
    for (let made = 0; made < blocks; made++) {
      for (const kind of await chain.next()) kinds.add(kind)
      const number = Number(chain.app.head?.header.number)
      const witness = await chain.witness(number)
      for (const list of [witness.state, witness.codes, witness.keys])
        expect(list, `block ${number}`).toEqual([...new Set(list)].sort())
      const verified = await verifyWitness(chain.app.config, blockOf(chain, number), witness)
      merged += verified.mergedNodes
    }
    // What the chain is there for: nodes beside every path, and each kind of transaction.
    expect(merged).toBeGreaterThan(0)
    expect(kinds.size).toBeGreaterThan(blocks < 50 ? 8 : 12)
  })

  test('executes them on another EVM, which reads in its own way', { ...slow, timeout }, async () => {
    const head = Number(chain.app.head?.header.number)
    for (let number = 2; number <= head; number += blocks < 50 ? 2 : 1)
      await verifyOnVm(fork, chain.app.config.chainId, blockOf(chain, number), await chain.witness(number))
  })

  test('has nothing that can be left out', { ...slow, timeout }, async () => {
    const head = Number(chain.app.head?.header.number)
    for (let number = 2; number <= head; number += Math.ceil(head / (blocks < 50 ? 2 : 10))) {
      const witness = await chain.witness(number)
      const block = blockOf(chain, number)
      await verifyWitness(chain.app.config, block, witness)
      // To make an EVM takes longer than to execute a block.
      const used = newEvm()
      for (const less of reduced(witness)) {
        const evm = less.codes.length < witness.codes.length ? newEvm() : used
        await expect(verifyWitness(chain.app.config, block, less, evm), `block ${number}`).rejects.toThrow()
      }
    }
  })
})

describe('a witness of blocks that geth executed', { ...slow, timeout }, () => {
  let folder: string
  let own: { readonly client: RpcClient; close(): Promise<void> }
  let config: ChainConfig

  beforeAll(async () => {
    folder = temporaryHome()
    const files = unpackChain(folder)
    const { config: source } = JSON.parse(readFileSync(files.genesis, 'utf8')) as { config: object }
    config = parseChainConfig(source)
    own = await serveChain(files, join(folder, 'served'), ['--json-rpc.api=eth,debug'])
  }, timeout)

  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('executes each of them again', async () => {
    const head = Number(await own.client.call('eth_blockNumber'))
    expect(head).toBeGreaterThan(20)
    let transactions = 0
    for (let number = 1; number <= head; number += count < 100 ? 5 : 1) {
      const at = `0x${number.toString(16)}`
      const block = fromHex(await own.client.call<string>('debug_getRawBlock', at))
      const witness = await own.client.call<ExecutionWitness>('debug_executionWitness', at)
      transactions += (await verifyWitness(config, block, witness)).transactions
    }
    expect(transactions).toBeGreaterThan(count < 100 ? 40 : 200)
  })
})

describe('debug_executionWitness', () => {
  let node: TestNode
  const unknown = `0x${'12'.repeat(32)}`

  beforeAll(async () => {
    node = await startTestNode()
    for (let block = 0; block < 3; block++) await node.call('evm_mine')
  })
  afterAll(() => node.close())

  test('takes a number, a tag, a hash or an object', async () => {
    const { hash } = await node.call<{ hash: string }>('eth_getBlockByNumber', '0x3', false)
    const witness = await node.call<ExecutionWitness>('debug_executionWitness', '0x3')
    expect(witness.headers).toHaveLength(1)
    expect(witness.state.length).toBeGreaterThan(0)
    for (const ref of ['latest', 3, hash, { blockNumber: '0x3' }, { blockHash: hash }])
      expect(await node.call('debug_executionWitness', ref)).toEqual(witness)
  })

  test('tells what has no witness', async () => {
    expect(await node.failure('debug_executionWitness', '0x0')).toMatchObject({
      code: -32000,
      message: 'genesis is not traceable',
    })
    expect(await node.failure('debug_executionWitness', '0xff')).toMatchObject({
      code: -32000,
      message: 'block #255 not found',
    })
    expect(await node.failure('debug_executionWitness', unknown)).toMatchObject({ code: -32000 })
    expect(await node.failure('debug_executionWitness', 'pending')).toMatchObject({ code: -32000 })
  })

  test('has none of a block whose parent state a dev method changed', async () => {
    await node.call('anvil_setBalance', `0x${'77'.repeat(20)}`, '0x1')
    await node.call('evm_mine')
    const { code, message } = await node.failure('debug_executionWitness', 'latest')
    expect(code).toBe(-32004)
    expect(message).toMatch(/dev method/)
    await node.call('evm_mine')
    await node.call('debug_executionWitness', 'latest')
  })
})

test('a witness is no larger than a trace may be', async () => {
  const node = await startTestNode('--json-rpc.trace-max-size=1000')
  try {
    await node.call('evm_mine')
    const { code, message } = await node.failure('debug_executionWitness', 'latest')
    expect([code, message]).toEqual([-32000, expect.stringMatching(/too large.*trace-max-size/)])
  } finally {
    await node.close()
  }
})

test('a state that is not kept is an error that names the oldest one', slow, async () => {
  const node = await startTestNode('--pruning=everything')
  try {
    for (let block = 0; block < 20; block++) await node.call('evm_mine')
    const { code, message } = await node.failure('debug_executionWitness', '0x2')
    expect(code).toBe(-32002)
    expect(message).toMatch(/the state of block 1 is not kept: \d+ is the earliest/)
    await node.call('debug_executionWitness', 'latest')
  } finally {
    await node.close()
  }
})
