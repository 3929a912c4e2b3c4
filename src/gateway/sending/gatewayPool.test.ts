import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { parseGwei, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeMempool } from '../../../test/support/fakeMempool.ts'
import { coin, testHead } from '../../../test/support/pool.ts'
import { slow } from '../../../test/support/slow.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { QueryAccountResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import { dialectOf } from '../../families/families.ts'
import { defaultPoolSettings } from '../../pool/types.ts'
import { encodeForMempool } from './encodeForMempool.ts'
import { GatewayPool } from './gatewayPool.ts'
import type { SendTimeouts } from './gatewayPoolOptions.ts'

const alice = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const bob = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const aliceBytes = fromHex(alice.address)

let folder: string
let closers: (() => Promise<void>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sending-'))
})
afterEach(async () => {
  for (const close of closers) await close()
  closers = []
  rmSync(folder, { recursive: true })
})

const chainInfoOf = (kind: 'app' | 'flood', family?: string): ChainInfo => ({
  family: family ?? (kind === 'app' ? 'cosmos-evm-0.7' : 'ethermint'),
  nativeChainId: '9001',
  // Sending does not use it.
  config: {} as ChainInfo['config'],
  feeDenom: 'atest',
  decimals: 18,
  bech32Prefix: 'cosmos',
  evmPackage: kind === 'app' ? 'cosmos.evm.vm.v1' : 'ethermint.evm.v1',
  feemarketPackage: 'cosmos.evm.feemarket.v1',
  earliestBlock: 1,
  earliestState: 1,
  hasAppMempool: kind === 'app',
})

const headAt = (height: number, baseFee = testHead.baseFee) => ({
  ...testHead,
  number: BigInt(height),
  baseFee,
})

const open = (
  kind: 'app' | 'flood',
  chain = new FakeMempool(kind),
  times: Partial<SendTimeouts> = {},
  family?: string,
) => {
  if (chain.accounts.size === 0) {
    chain.fund(alice.address, 1000n * coin)
    chain.fund(bob.address, coin)
  }
  const pool = new GatewayPool(
    {
      chainInfo: chainInfoOf(kind, family),
      settings: defaultPoolSettings,
      journalFolder: folder,
      times: { broadcastMs: 150, retryMs: 20, seenCacheMs: 300, rebroadcastMs: 60_000, ...times },
    },
    {
      upstream: chain,
      head: headAt(chain.height),
      locate: chain.locate,
      locateBySender: chain.locateBySender,
      log: createLogger('silent'),
    },
  )
  closers.push(() => pool.close())
  const block = (baseFee?: bigint): void => {
    chain.produceBlock()
    pool.onHead(headAt(chain.height, baseFee))
  }
  return { chain, pool, block }
}

const sign = (
  nonce: number,
  fields: Partial<TransactionSerializable> = {},
  account = alice,
): Promise<`0x${string}`> =>
  account.signTransaction({
    chainId: 31_337,
    to: bob.address,
    gas: 21_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('1'),
    nonce,
    ...fields,
  } as TransactionSerializable)

const hashOf = (raw: string): string => toHex(keccak256(fromHex(raw)))

const kinds = ['app', 'flood'] as const

it('has nodes asked for the accounts of few senders at a time at a start', async () => {
  const chain = new FakeMempool('flood')
  const senders = Array.from({ length: 20 }, (_, index) =>
    privateKeyToAccount(`0x${(index + 1).toString(16).padStart(64, '0')}`),
  )
  for (const { address } of senders) chain.fund(address, coin)
  const before = open('flood', chain)
  for (const account of senders) await before.pool.submit(fromHex(await sign(0, {}, account)))
  await before.pool.close()
  closers = []
  let [asking, most] = [0, 0]
  const query: FakeMempool['query'] = async (...question) => {
    most = Math.max(most, ++asking)
    await new Promise(setImmediate)
    asking--
    return chain.query(...question)
  }
  const { pool } = open('flood', Object.assign(chain, { nodesAlone: () => [{ name: 'node', query }] }))
  await pool.restored
  expect(pool.counts().pending).toBe(20)
  expect(most).toBe(16)
})

describe.each(kinds)('sending to a chain with a mempool of the kind %s', (kind) => {
  it('brings a transaction to the chain and lets go of it when it is in a block', async () => {
    const { chain, pool, block } = open(kind)
    const raw = await sign(0)
    const hash = await pool.submit(fromHex(raw))
    expect(toHex(hash)).toBe(hashOf(raw))
    expect(chain.sent).toEqual([hashOf(raw)])
    expect(pool.get(hash)?.hash).toEqual(hash)
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
    expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
    const waiting = pool.waitFor(hash, AbortSignal.timeout(60_000))
    block()
    expect(await waiting).toEqual({ number: 2, index: 0 })
    expect(pool.get(hash)).toBeUndefined()
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
  })

  it('has all of 40 that come shuffled and at once in blocks, in order', async () => {
    // On a busy machine a response may take longer than the time after which it is sent again.
    const { chain, pool, block } = open(kind, new FakeMempool(kind), { broadcastMs: 30_000 })
    chain.delay = () => Math.floor(Math.random() * 4)
    const raws = await Promise.all(Array.from({ length: 40 }, (_, nonce) => sign(nonce)))
    const shuffled = raws
      .map((raw, index) => ({ raw, at: (index * 17 + 5) % 40 }))
      .sort((a, b) => a.at - b.at)
    await Promise.all(shuffled.map(({ raw }) => pool.submit(fromHex(raw))))
    await eventually(() => {
      block()
      return chain.included.length === 40
    })
    expect(chain.included).toEqual(raws.map(hashOf))
    await eventually(() => pool.counts().pending === 0)
    expect(chain.sent).toHaveLength(40)
  })

  it('holds what has a gap before it, and sends it when the gap is closed', async () => {
    const { chain, pool } = open(kind)
    const [first, second] = [await sign(0), await sign(1)]
    await pool.submit(fromHex(second))
    expect(chain.sent).toEqual([])
    expect(pool.counts()).toEqual({ pending: 0, queued: 1 })
    expect(await pool.nextNonce(aliceBytes)).toBe(0n)
    await pool.submit(fromHex(first))
    await eventually(() => chain.sent.length === 2)
    expect(chain.sent).toEqual([hashOf(first), hashOf(second)])
    expect(await pool.nextNonce(aliceBytes)).toBe(2n)
  })

  it('rejects before sending, in the words of the node', async () => {
    const { chain, pool, block } = open(kind)
    await pool.submit(fromHex(await sign(0)))
    block()
    await eventually(() => pool.counts().pending === 0)
    const refusals: readonly (readonly [Promise<string>, string])[] = [
      [sign(0), 'nonce too low: next nonce 1, tx nonce 0'],
      [
        sign(0, { value: 2n * coin }, bob),
        'insufficient funds for gas * price + value: balance 1000000000000000000, tx cost 2000210000000000000, overshot 1000210000000000000',
      ],
      [sign(1, { gas: 20_000n }), 'intrinsic gas too low: gas 20000, minimum needed 21000'],
      [sign(1, { chainId: 5 }), 'invalid sender: invalid chain id for signer: have 5 want 31337'],
      [sign(1, { gas: 40_000_000n }), 'transaction gas limit too high (cap: 16777216, tx: 40000000)'],
      [sign(1, { maxFeePerGas: 10n ** 15n }), 'tx fee (21.00 ether) exceeds the configured cap (1.00 ether)'],
      [
        sign(1, {
          type: 'legacy',
          chainId: undefined,
          gasPrice: parseGwei('2'),
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
        } as Partial<TransactionSerializable>),
        'only replay-protected (EIP-155) transactions allowed over RPC',
      ],
    ]
    const before = chain.sent.length
    for (const [raw, message] of refusals)
      await expect(pool.submit(fromHex(await raw))).rejects.toThrow(message)
    const again = await sign(1)
    await pool.submit(fromHex(again))
    await expect(pool.submit(fromHex(again))).rejects.toThrow('already known')
    expect(chain.sent.length - before).toBe(1)
  })

  it('tells the sender why the chain rejects, and keeps nothing of it', async () => {
    const { chain, pool } = open(kind)
    chain.answer = {
      code: 13,
      codespace: 'sdk',
      log: 'provided fee < minimum global fee (210000000000000 < 420000000000000). Please increase the priority tip: insufficient fee',
    }
    const raw = await sign(0)
    await expect(pool.submit(fromHex(raw))).rejects.toThrow(
      'transaction underpriced: gas fee cap 10000000000, minimum needed 20000000000',
    )
    expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
    expect(await pool.nextNonce(aliceBytes)).toBe(0n)
    // It is accepted later, with the same bytes.
    chain.answer = undefined
    await pool.submit(fromHex(raw))
    expect(pool.counts().pending).toBe(1)
  })

  it('takes a transaction without a response for one that may be there, and finds out', async () => {
    const { chain, pool, block } = open(kind)
    chain.unansweredCount = 1
    const raw = await sign(0)
    const hash = await pool.submit(fromHex(raw))
    await eventually(() => chain.sent.length === 2)
    block()
    expect(await pool.waitFor(hash, AbortSignal.timeout(60_000))).toEqual({ number: 2, index: 0 })
    expect(chain.included).toEqual([hashOf(raw)])
  })

  it('lets nobody wait behind one that gets no response', slow, async () => {
    const { chain, pool, block } = open(kind, undefined, { broadcastMs: 3_000 })
    chain.unansweredCount = 2
    const raws = await Promise.all([0, 1, 2].map((nonce) => sign(nonce)))
    await pool.submit(fromHex(raws[0] as string))
    const begin = performance.now()
    for (const raw of raws.slice(1)) await pool.submit(fromHex(raw))
    expect(performance.now() - begin).toBeLessThan(3_000)
    await eventually(() => {
      block()
      return chain.included.length === 3
    })
    expect(chain.included).toEqual(raws.map(hashOf))
  })

  it('sends again when the node comes back without what it had', async () => {
    const { chain, pool, block } = open(kind)
    const raws = [await sign(0), await sign(1)]
    for (const raw of raws) await pool.submit(fromHex(raw))
    chain.isDown = true
    chain.forget()
    const other = privateKeyToAccount(`0x${'33'.repeat(32)}`)
    await expect(pool.nextNonce(fromHex(other.address))).rejects.toMatchObject({ kind: 'unavailable' })
    chain.isDown = false
    await eventually(() => {
      block()
      return chain.included.length === 2
    })
    expect(chain.included).toEqual(raws.map(hashOf))
  })

  it('keeps what it acknowledged while a node that has just started rejects everything', async () => {
    const { chain, pool, block } = open(kind)
    const raws = [await sign(0), await sign(1)]
    for (const raw of raws) await pool.submit(fromHex(raw))
    chain.isDown = true
    chain.forget()
    const other = privateKeyToAccount(`0x${'33'.repeat(32)}`)
    await expect(pool.nextNonce(fromHex(other.address))).rejects.toMatchObject({ kind: 'unavailable' })
    chain.isDown = false
    chain.refusal = 'exceeds block gas limit'
    block()
    await eventually(() => chain.sent.length > 3)
    // What is sent meanwhile is kept too: the head says that it fits into a block.
    raws.push(await sign(2))
    await pool.submit(fromHex(raws[2] as string))
    expect(pool.counts()).toEqual({ pending: 3, queued: 0 })
    expect(pool.refusals()).toMatchObject([
      { nonce: 0n, reason: 'exceeds block gas limit', isGivenUp: false },
    ])
    chain.refusal = undefined
    await eventually(() => {
      block()
      return chain.included.length === 3
    })
    expect(chain.included).toEqual(raws.map(hashOf))
    expect(pool.refusals()).toEqual([])
  })

  it('gives up what the chain rejects for long, and what waits behind it, and tells why', slow, async () => {
    const { chain, pool, block } = open(kind, undefined, {
      refusalMs: 150,
      orphanMs: 150,
      rebroadcastMs: 60,
    })
    const raws = [await sign(0), await sign(1)]
    for (const raw of raws) await pool.submit(fromHex(raw))
    chain.forget()
    chain.refusal = 'the account is frozen'
    await pool.submit(fromHex(await sign(3)))
    await expect(pool.submit(fromHex(await sign(0, {}, bob)))).rejects.toThrow('the account is frozen')
    await eventually(() => pool.counts().pending + pool.counts().queued === 0)
    expect(pool.refusals()).toMatchObject([
      { nonce: 0n, reason: 'the account is frozen', isGivenUp: true },
      {
        nonce: 1n,
        reason: 'it waited behind nonce 0, which was given up: the account is frozen',
        isGivenUp: true,
      },
      { nonce: 3n, isGivenUp: true },
    ])
    chain.refusal = undefined
    chain.forgetSeen()
    for (const raw of raws) await pool.submit(fromHex(raw))
    await eventually(() => {
      block()
      return chain.included.length === 2
    })
  })

  it('keeps what comes back from the journal while the chain rejects it', async () => {
    const { chain, pool } = open(kind)
    const raw = await sign(0)
    await pool.submit(fromHex(raw))
    await pool.close()
    closers = []
    chain.forget()
    chain.refusal = 'exceeds block gas limit'
    const { pool: next, block } = open(kind, chain)
    await next.restored
    await eventually(() => next.refusals().length === 1)
    chain.refusal = undefined
    await eventually(() => {
      block()
      return chain.included.length === 1
    })
  })

  it('sends again what no block took for a while', async () => {
    const { chain, pool, block } = open(kind, undefined, { rebroadcastMs: 80 })
    const raw = await sign(0)
    await pool.submit(fromHex(raw))
    chain.forget()
    await eventually(() => chain.sent.length >= 2)
    block()
    expect(chain.included).toEqual([hashOf(raw)])
  })

  it('keeps what it acknowledged across a restart', async () => {
    const { chain, pool } = open(kind)
    const raws = [await sign(0), await sign(2)]
    for (const raw of raws) await pool.submit(fromHex(raw))
    await pool.close()
    closers = []
    chain.forget()
    chain.isDown = true
    const { pool: next, block } = open(kind, chain)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(next.counts()).toEqual({ pending: 0, queued: 2 })
    chain.isDown = false
    await next.restored
    expect(next.counts()).toEqual({ pending: 1, queued: 1 })
    await next.submit(fromHex(await sign(1)))
    await eventually(() => {
      block()
      return chain.included.length === 3
    })
  })

  it('keeps what waited for others although a node rejects it when its turn comes', async () => {
    const { chain, pool, block } = open(kind)
    const waiting = await pool.submit(fromHex(await sign(1)))
    const broadcast = chain.broadcast.bind(chain)
    let rejected = 0
    chain.broadcast = async (bytes, signal) => {
      const [message] = decodeContents(bytes)?.ethereum ?? []
      if (message?.transaction.nonce !== 1n || rejected > 2) return broadcast(bytes, signal)
      rejected++
      return { code: 13, codespace: 'sdk', log: 'insufficient fee' }
    }
    await pool.submit(fromHex(await sign(0)))
    await eventually(() => rejected > 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(pool.get(waiting)).toBeDefined()
    expect(pool.refusals()).toMatchObject([{ nonce: 1n, isGivenUp: false }])
    await eventually(() => {
      block()
      return chain.included.length === 2
    })
  })

  it('does not give up what a block took while it was away and that it has not read yet', async () => {
    const { chain, pool } = open(kind)
    const raw = fromHex(await sign(0))
    const hash = await pool.submit(raw)
    await pool.close()
    closers = []
    chain.produceBlock()
    expect(chain.included).toHaveLength(1)
    chain.forget()
    const { locate, locateBySender } = chain
    const sent = chain.sent.length
    let isRead = false
    const { pool: next } = open(
      kind,
      Object.assign(chain, {
        height: 1,
        locate: (...of: Parameters<typeof locate>) => (isRead ? locate(...of) : undefined),
        locateBySender: (...of: Parameters<typeof locateBySender>) =>
          isRead ? locateBySender(...of) : undefined,
      }),
    )
    await next.restored
    await eventually(() => chain.sent.length > sent)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(next.refusals()).toEqual([])
    expect(next.get(hash)).toBeDefined()
    // It reads the block.
    isRead = true
    chain.height = 2
    next.onHead(headAt(2))
    await eventually(() => next.get(hash) === undefined)
    expect(next.refusals()).toEqual([])
  })

  it('drops what another transaction with its nonce made useless, and reports it', async () => {
    const { chain, pool, block } = open(kind, undefined, { refusalMs: 50 })
    const hash = await pool.submit(fromHex(await sign(3)))
    const account = chain.accounts.get(alice.address.toLowerCase())
    if (account) account.nonce = 7n
    await eventually(() => {
      block()
      return pool.get(hash) === undefined
    })
    expect(await pool.nextNonce(aliceBytes)).toBe(7n)
    expect(pool.refusals()).toMatchObject([
      { nonce: 3n, reason: 'another transaction used its nonce', isGivenUp: true },
    ])
  })

  it('keeps what it acknowledged if a node reports another account once, and gives it up if that stays', async () => {
    const { chain, pool, block } = open(kind, undefined, { refusalMs: 50 })
    for (const nonce of [0, 1]) await pool.submit(fromHex(await sign(nonce)))
    chain.forget()
    const account = chain.accounts.get(alice.address.toLowerCase()) as { nonce: bigint; balance: bigint }
    const honest = { ...account }
    /** A block after which nodes report the account so. */
    const tell = async (changed: Partial<typeof account>): Promise<void> => {
      Object.assign(account, honest, changed)
      block()
      await eventually(() => pool.pool.head.number === BigInt(chain.height))
    }
    for (const lie of [{ balance: 0n }, { nonce: 9n }, { nonce: 1n }]) {
      await tell(lie)
      expect(pool.counts()).toEqual({ pending: 2, queued: 0 })
      await tell({})
      expect(pool.counts()).toEqual({ pending: 2, queued: 0 })
    }
    expect(pool.refusals().filter(({ isGivenUp }) => isGivenUp)).toEqual([])
    Object.assign(account, honest, { balance: 0n })
    await eventually(() => {
      block()
      return pool.counts().pending + pool.counts().queued === 0
    })
    expect(pool.refusals().filter(({ isGivenUp }) => isGivenUp)).toMatchObject([
      { nonce: 0n, reason: 'its sender cannot pay it any more' },
      { nonce: 1n, reason: 'its sender cannot pay it any more' },
    ])
  })

  it('keeps an account as it is known while a node behind a balancer is late', async () => {
    const { chain, pool, block } = open(kind, undefined, { refusalMs: 50 })
    const raw = await sign(0)
    await pool.submit(fromHex(raw))
    const query = chain.query.bind(chain)
    // It has no newer state than that of block 0, before the account had anything.
    chain.query = async (_path, _request, height) => {
      if (height !== undefined) throw new NativeQueryError('future height', `height ${height}`)
      return toBinary(
        QueryAccountResponseSchema,
        create(QueryAccountResponseSchema, { nonce: 0n, balance: '0', codeHash: '' }),
      )
    }
    for (let height = 2; height < 12; height++) {
      pool.onHead(headAt(height))
      await eventually(() => pool.pool.head.number === BigInt(height))
    }
    expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
    // That a block has it is known without the account.
    chain.height = 12
    block()
    await eventually(() => pool.counts().pending === 0)
    expect(chain.included).toEqual([hashOf(raw)])
    expect(pool.refusals()).toEqual([])
    chain.query = query
    pool.onHead(headAt(chain.height))
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
  })

  it('keeps what cannot pay the base fee until the fee falls', async () => {
    const { chain, pool, block } = open(kind)
    block(parseGwei('50'))
    await eventually(() => pool.pool.head.baseFee === parseGwei('50'))
    await pool.submit(fromHex(await sign(0)))
    expect(chain.sent).toEqual([])
    expect(pool.counts().pending).toBe(1)
    block(parseGwei('5'))
    await eventually(() => chain.sent.length === 1)
  })

  it('gives up what no block takes within its lifetime', async () => {
    const { chain, pool } = open(kind, undefined, { lifetimeMs: 100 })
    const hash = await pool.submit(fromHex(await sign(0)))
    chain.forget()
    await eventually(() => pool.get(hash) === undefined)
  })

  it('reports each waiting transaction once', async () => {
    const { pool, block } = open(kind)
    const heard: string[] = []
    pool.onPending(({ hash }) => heard.push(toHex(hash)))
    const raws = [await sign(0), await sign(1), await sign(3)]
    for (const raw of raws) await pool.submit(fromHex(raw))
    block()
    await eventually(() => pool.counts().pending === 0)
    expect(heard).toEqual([raws[0], raws[1]].map((raw) => hashOf(raw as string)))
  })
})

describe('a mempool in the application', () => {
  it('takes a replacement that pays enough', async () => {
    const { chain, pool, block } = open('app')
    const first = await sign(0)
    const second = await sign(0, { maxFeePerGas: parseGwei('12'), maxPriorityFeePerGas: parseGwei('2') })
    await pool.submit(fromHex(first))
    await pool.submit(fromHex(second))
    expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
    block()
    expect(chain.included).toEqual([hashOf(second)])
  })

  it('keeps the first where the chain wants more for a replacement than geth does', async () => {
    const { chain, pool, block } = open('app')
    const first = await sign(0)
    const behind = await sign(1)
    const second = await sign(0, { maxFeePerGas: parseGwei('12'), maxPriorityFeePerGas: parseGwei('2') })
    await pool.submit(fromHex(first))
    await pool.submit(fromHex(behind))
    chain.answer = { code: 1, codespace: 'undefined', log: 'replacement transaction underpriced' }
    await expect(pool.submit(fromHex(second))).rejects.toThrow('replacement transaction underpriced')
    chain.answer = undefined
    await eventually(() => pool.counts().pending === 2)
    expect(pool.get(fromHex(hashOf(first)))).toBeDefined()
    block()
    await eventually(() => pool.counts().pending === 0)
    expect(chain.included).toEqual([first, behind].map(hashOf))
  })

  it('keeps the first also if the chain goes away when it rejects the replacement', async () => {
    const { chain, pool } = open('app')
    const first = await sign(0)
    const second = await sign(0, { maxFeePerGas: parseGwei('12'), maxPriorityFeePerGas: parseGwei('2') })
    await pool.submit(fromHex(first))
    Object.defineProperty(chain, 'answer', {
      configurable: true,
      get: () => {
        chain.isDown = true
        // Accounts must be requested again.
        pool.onHead(headAt(chain.height + 1))
        return { code: 1, codespace: 'undefined', log: 'replacement transaction underpriced' }
      },
    })
    await expect(pool.submit(fromHex(second))).rejects.toThrow('replacement transaction underpriced')
    await eventually(() => pool.refusals().length > 0)
    expect(pool.refusals()).toMatchObject([{ nonce: 0n, isGivenUp: false }])
    expect(pool.get(fromHex(hashOf(first)))).toBeDefined()
    Object.defineProperty(chain, 'answer', { value: undefined, writable: true })
    chain.isDown = false
    await eventually(() => pool.counts().pending === 1)
    expect(pool.refusals()).toEqual([])
  })

  it('repeats why it rejected while the node says only that it saw the bytes', async () => {
    const { chain, pool } = open('app')
    const raw = await sign(0, { value: 1n }, bob)
    // The account is emptied between the check here and that of the node.
    const account = chain.accounts.get(bob.address.toLowerCase())
    if (account) account.balance = 7n
    const words = 'insufficient funds for gas * price + value'
    await expect(pool.submit(fromHex(raw))).rejects.toThrow(words)
    await expect(pool.submit(fromHex(raw))).rejects.toThrow(words)
    expect(chain.sent).toHaveLength(2)
    if (account) account.balance = coin
    chain.forgetSeen()
    await pool.submit(fromHex(raw))
    expect(pool.counts().pending).toBe(1)
  })
})

it('sends nothing that the chain has no form for', async () => {
  const { chain, pool } = open('flood')
  const address = bob.address
  const authorization = await bob.signAuthorization({ address, chainId: 31_337, nonce: 0 })
  const raw = await sign(0, { type: 'eip7702', gas: 100_000n, authorizationList: [authorization] })
  await expect(pool.submit(fromHex(raw))).rejects.toThrow('transaction type not supported')
  expect(chain.sent).toEqual([])
  expect(pool.counts().pending).toBe(0)
})

describe('a mempool of CometBFT', () => {
  it('holds a replacement until a block decides', async () => {
    const { chain, pool, block } = open('flood')
    const first = await sign(0)
    const second = await sign(0, { maxFeePerGas: parseGwei('12'), maxPriorityFeePerGas: parseGwei('2') })
    await pool.submit(fromHex(first))
    const hash = await pool.submit(fromHex(second))
    expect(pool.get(hash)).toBeDefined()
    block()
    await eventually(() => pool.get(hash) === undefined)
    expect(chain.included).toEqual([hashOf(first)])
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
  })

  it('takes a gap for queued where the chain keeps it', async () => {
    const chain = new FakeMempool('flood')
    const { pool } = open('flood', chain, {}, 'cosmos-evm-0.5')
    await pool.submit(fromHex(await sign(0)))
    chain.forget()
    await pool.submit(fromHex(await sign(1)))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(chain.sent).toHaveLength(2)
    expect(pool.counts().pending).toBe(2)
  })

  it('sends what came before again where the chain misses it', async () => {
    const { chain, pool, block } = open('flood')
    const raws = [await sign(0), await sign(1)]
    await pool.submit(fromHex(raws[0] as string))
    chain.forget()
    await pool.submit(fromHex(raws[1] as string))
    await eventually(() => chain.sent.length >= 4)
    block()
    expect(chain.included).toEqual(raws.map(hashOf))
  })

  it('brings the replacement to the chain once the first is gone from there', async () => {
    const { chain, pool, block } = open('flood')
    const second = await sign(0, { maxFeePerGas: parseGwei('12'), maxPriorityFeePerGas: parseGwei('2') })
    await pool.submit(fromHex(await sign(0)))
    await pool.submit(fromHex(second))
    chain.forget()
    await eventually(() => {
      block()
      return chain.included.length === 1
    })
    expect(chain.included).toEqual([hashOf(second)])
  })

  it('counts what others sent, and forgets it when the node does', async () => {
    const { chain, pool, block } = open('flood')
    const external = await sign(0)
    const bytes = encodeForMempool(fromHex(external), aliceBytes, dialectOf(chainInfoOf('flood')))
    await chain.broadcast(bytes, AbortSignal.timeout(60_000))
    block()
    await eventually(() => chain.included.length === 1)
    const next = await sign(1)
    await chain.broadcast(
      encodeForMempool(fromHex(next), aliceBytes, dialectOf(chainInfoOf('flood'))),
      AbortSignal.timeout(60_000),
    )
    // A head that comes while the list is read does not have it read again.
    const untilPending = (count: number): Promise<void> =>
      eventually(() => {
        pool.onHead(headAt(chain.height))
        return pool.counts().pending === count
      })
    await untilPending(1)
    expect(await pool.nextNonce(aliceBytes)).toBe(2n)
    expect(chain.sent).toHaveLength(2)
    chain.forget()
    await untilPending(0)
  })

  it('keeps what others sent once it is submitted here, and sends it when the node forgets it', async () => {
    const { chain, pool } = open('flood', new FakeMempool('flood'), { rebroadcastMs: 50 })
    const raw = await sign(0)
    await chain.broadcast(
      encodeForMempool(fromHex(raw), aliceBytes, dialectOf(chainInfoOf('flood'))),
      AbortSignal.timeout(60_000),
    )
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
    await expect(pool.submit(fromHex(raw))).rejects.toThrow('already known')
    chain.forget()
    pool.onHead(headAt(chain.height))
    await eventually(() => chain.sent.length > 1)
    expect(new Set(chain.sent)).toEqual(new Set([hashOf(raw)]))
    expect(pool.counts().pending).toBe(1)
  })

  it('sends what comes behind a transaction that others sent', async () => {
    const { chain, pool } = open('flood')
    await chain.broadcast(
      encodeForMempool(fromHex(await sign(0)), aliceBytes, dialectOf(chainInfoOf('flood'))),
      AbortSignal.timeout(60_000),
    )
    expect(await pool.nextNonce(aliceBytes)).toBe(1n)
    const local = await sign(1)
    await pool.submit(fromHex(local))
    expect(chain.sent.at(-1)).toBe(hashOf(local))
    chain.produceBlock()
    expect(chain.included).toHaveLength(2)
  })
})
