import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { address, createTestPool, dynamicFee, testHead } from '../../../../test/support/pool.ts'
import type { Logger } from '../../../base/logging/log.ts'
import type { BroadcastResponse } from '../../../comet/data/replies.ts'
import { CometError } from '../../../comet/data/replyEnvelope.ts'
import type { PoolTransaction } from '../../../pool/types.ts'
import { encodePoolTransaction } from '../abci/handler.ts'
import { Broadcaster } from './broadcaster.ts'

const taken: BroadcastResponse = { code: 0, codespace: '', log: '', hash: new Uint8Array(32) }
/** What CometBFT takes in one request by default. */
const maxBodyBytes = 1_000_000
const longData = new Uint8Array(130_000)

/** An engine that keeps what it takes, in order, and can be told to reject. */
class FakeEngine {
  readonly mempool: Uint8Array[] = []
  readonly requests: number[] = []
  isDown = false
  maxBatchCount = 1000
  /** Returns why the engine does not take a request with this transaction, or the result for it. */
  answer: (native: Uint8Array) => BroadcastResponse | Error = () => taken

  broadcast = async (natives: readonly Uint8Array[]): Promise<readonly (BroadcastResponse | Error)[]> => {
    if (this.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    this.requests.push(natives.length)
    const bytes = natives.reduce((sum, native) => sum + Math.ceil((native.length * 4) / 3) + 90, 2)
    if (bytes > maxBodyBytes) throw new CometError(-32600, 'http: request body too large')
    if (natives.length > this.maxBatchCount)
      throw new CometError(-32600, 'batch request exceeds maximum allowed number of requests')
    const results = natives.map((native) => this.answer(native))
    const poison = results.find((result) => result instanceof CometError)
    if (poison !== undefined) throw poison
    for (const [index, native] of natives.entries()) if (results[index] === taken) this.mempool.push(native)
    return results
  }
}

describe('the relay of the pool’s transactions to the engine', () => {
  let test: ReturnType<typeof createTestPool>
  let engine: FakeEngine
  let broadcaster: Broadcaster
  let logged: string[]

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    test = createTestPool()
    engine = new FakeEngine()
    logged = []
    const note = (level: string) => (_: unknown, text: string) => void logged.push(`${level} ${text}`)
    const log = { debug: () => {}, warn: note('warn'), info: note('info') } as unknown as Logger // what it uses
    const { pool } = test
    broadcaster = new Broadcaster({
      rpc: engine,
      isIncludable: (transaction) => pool.isIncludable(transaction),
      pending: () => [...pool.transactions()].filter((transaction) => pool.isPending(transaction)),
      encode: encodePoolTransaction,
      log,
    })
    pool.events.on('pending', (transaction) => broadcaster.add(transaction))
    pool.events.on('dropped', ({ transaction, reason }) =>
      broadcaster.forget(transaction.id, reason === 'included'),
    )
  })
  afterEach(() => {
    broadcaster.close()
    vi.useRealTimers()
  })

  /** Waits until nothing is to be sent but what a timer brings back. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const later = async (milliseconds: number): Promise<void> => {
    vi.advanceTimersByTime(milliseconds)
    await settle()
  }
  const long = (sender: number, nonce: number, feeCap: bigint) => {
    const fees = { maxFeePerGas: feeCap, maxPriorityFeePerGas: feeCap < 1n ? feeCap : 1n }
    return test.send(
      sender,
      dynamicFee({ nonce: BigInt(nonce), data: longData, gasLimit: 6_000_000n, ...fees }),
    )
  }
  const nativeOf = (sender: number, nonce = 0): Uint8Array =>
    encodePoolTransaction(test.pool.pendingOf(address(sender))[nonce] as PoolTransaction) // it was sent
  const isSame = (native: Uint8Array, other: Uint8Array): boolean => Buffer.compare(native, other) === 0

  it('holds two hundred long ones that pay too little back, and relays what comes after them', async () => {
    for (let nonce = 0; nonce < 200; nonce++) expect(long(0, nonce, 1n).rejection).toBeUndefined()
    for (let sender = 1; sender <= 3; sender++) test.transfer(sender, 0)
    await settle()
    expect(engine.mempool.map((native) => native.length < 1000)).toEqual([true, true, true])
    expect(broadcaster.stats).toEqual({ waiting: 0, held: 200, retried: 0, failures: 0 })
    expect(logged).toEqual([])
    // The fee falls to what they pay.
    test.pool.onHead({ ...testHead, baseFee: 1n }, { included: [], changed: [] })
    broadcaster.onHead([])
    await settle()
    expect(engine.mempool).toHaveLength(203)
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 0 })
  })

  it('holds what waits for one that pays too little, and for a nonce, until they can be included', async () => {
    test.send(0, dynamicFee({ nonce: 0n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }))
    test.transfer(0, 1)
    test.transfer(1, 1)
    await settle()
    expect(engine.mempool).toEqual([])
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 2 })
    test.transfer(1, 0)
    test.transfer(0, 0)
    broadcaster.onHead([])
    await settle()
    expect(engine.mempool).toHaveLength(4)
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 0 })
  })

  it('sends again what a block had no room for, because the engine dropped it with the block', async () => {
    test.transfer(0, 0)
    test.transfer(1, 0)
    await settle()
    expect(engine.mempool).toHaveLength(2)
    engine.mempool.length = 0
    broadcaster.onHead([], [...test.pool.pendingOf(address(1))])
    await settle()
    expect(engine.mempool).toEqual([nativeOf(1)])
  })

  it('sends no request that is too long, however many long ones wait', async () => {
    for (let nonce = 0; nonce < 50; nonce++) long(0, nonce, 2n * 10n ** 9n)
    await settle()
    expect(engine.mempool).toHaveLength(50)
    expect(broadcaster.stats.failures).toBe(0)
    expect(Math.max(...engine.requests)).toBeLessThan(6)
  })

  it('finds how many an engine takes in one request', async () => {
    engine.maxBatchCount = 10
    for (let nonce = 0; nonce < 100; nonce++) test.transfer(nonce % 10, Math.floor(nonce / 10))
    await settle()
    expect(engine.mempool).toHaveLength(100)
    expect(logged).toEqual([])
  })

  it.each([
    ['that makes the engine reject every request with it', new CometError(-32603, 'panic in CheckTx')],
    ['that the engine does not take', new Error('mempool is full')],
    ['that the engine’s check declines', { ...taken, code: 11, log: 'out of gas' }],
  ])('goes on around one %s, says so once and tries it ever more seldom', async (_, refusal) => {
    for (let sender = 0; sender < 8; sender++) test.transfer(sender, 0)
    const culprit = nativeOf(2)
    let tries = 0
    engine.answer = (native) => {
      if (!isSame(native, culprit)) return taken
      tries++
      return refusal
    }
    await settle()
    expect(engine.mempool).toHaveLength(7)
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 0, retried: 1 })
    for (let second = 0; second < 60; second++) await later(1000)
    expect(tries).toBeLessThan(25)
    test.transfer(8, 0)
    await settle()
    expect(engine.mempool).toHaveLength(8)
    expect(logged).toEqual([
      'warn the engine does not take transactions: they are not relayed, and tried again',
    ])
    engine.answer = () => taken
    await later(10_000)
    expect(engine.mempool).toHaveLength(9)
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 0, retried: 0 })
    expect(logged.at(-1)).toBe('info the engine takes transactions again')
  })

  it('waits for an engine that is away, in order, and says so once', async () => {
    engine.isDown = true
    for (let nonce = 0; nonce < 5; nonce++) test.transfer(0, nonce)
    await settle()
    for (let turn = 0; turn < 20; turn++) await later(500)
    expect(broadcaster.stats).toMatchObject({ waiting: 5, retried: 0 })
    expect(logged).toHaveLength(1)
    engine.isDown = false
    await later(500)
    expect(engine.mempool.map((native, index) => isSame(native, nativeOf(0, index)))).toEqual(
      Array.from({ length: 5 }, () => true),
    )
    expect(logged.at(-1)).toBe('info the engine takes transactions again')
  })

  it('tries an engine that does not answer in time again later, with fewer at once', async () => {
    const { broadcast } = engine
    const sizes: number[] = []
    engine.broadcast = async (natives) => {
      sizes.push(natives.length)
      throw Object.assign(new Error('the engine did not answer'), { code: 'ETIMEDOUT' })
    }
    for (let nonce = 0; nonce < 100; nonce++) test.transfer(nonce % 10, Math.floor(nonce / 10))
    await settle()
    expect(sizes).toEqual([100])
    await later(500)
    await later(500)
    expect(sizes).toEqual([100, 50, 25])
    expect(broadcaster.stats).toMatchObject({ waiting: 100, retried: 0, failures: 3 })
    engine.broadcast = broadcast
    await later(500)
    expect(engine.mempool).toHaveLength(100)
  })

  it('is not held up by one that the engine never answers', async () => {
    for (let sender = 0; sender < 4; sender++) test.transfer(sender, 0)
    const culprit = nativeOf(0)
    const { broadcast } = engine
    engine.broadcast = async (natives) => {
      if (natives.some((native) => isSame(native, culprit)))
        throw Object.assign(new Error('the engine did not answer'), { code: 'ETIMEDOUT' })
      return broadcast(natives)
    }
    await settle()
    for (let turn = 0; turn < 6; turn++) await later(500)
    expect(engine.mempool).toHaveLength(3)
    expect(broadcaster.stats).toMatchObject({ waiting: 0, retried: 1 })
  })

  it('knows what the engine holds although the pool dropped it, and only that', async () => {
    test.transfer(0, 0)
    test.transfer(1, 0)
    await settle()
    const [first, second] = [0, 1].map((sender) => test.pool.pendingOf(address(sender))[0] as PoolTransaction)
    test.pool.remove((first as PoolTransaction).hash)
    expect(broadcaster.takeDropped((first as PoolTransaction).id)).toBe(true)
    expect(broadcaster.takeDropped((first as PoolTransaction).id)).toBe(false)
    test.state.at(address(1)).nonce = 1n
    const { hash, id } = second as PoolTransaction // it was sent
    test.pool.onHead(testHead, { included: [hash], changed: [address(1)] })
    expect(broadcaster.takeDropped(id)).toBe(false)
  })

  it('does not mark what a block included before the engine’s answer came', async () => {
    let answerNow: () => void = () => {}
    const { broadcast } = engine
    engine.broadcast = async (natives) => {
      await new Promise<void>((resolve) => {
        answerNow = resolve
      })
      return broadcast(natives)
    }
    test.transfer(0, 0)
    await settle()
    const [transaction] = test.pool.pendingOf(address(0)) as [PoolTransaction] // it was sent
    broadcaster.markInMempool(transaction.id)
    broadcaster.forget(transaction.id, true)
    answerNow()
    await settle()
    expect(engine.mempool).toHaveLength(1)
    // Nothing is remembered of it: it would be sent again.
    engine.broadcast = broadcast
    broadcaster.add(transaction)
    await settle()
    expect(engine.mempool).toHaveLength(2)
  })

  it('sends all again to an engine that starts again, and forgets what the one before held', async () => {
    for (let sender = 0; sender < 3; sender++) test.transfer(sender, 0)
    await settle()
    const [first] = test.pool.pendingOf(address(0)) as [PoolTransaction] // it was sent
    test.pool.remove(first.hash)
    engine.mempool.length = 0
    broadcaster.onHead([])
    await settle()
    expect(engine.mempool).toEqual([])
    broadcaster.onEngineStart()
    await settle()
    expect(engine.mempool).toHaveLength(2)
    expect(broadcaster.takeDropped(first.id)).toBe(false)
  })

  it('forgets what the pool dropped when a block includes it', async () => {
    test.transfer(0, 0)
    await settle()
    const [transaction] = test.pool.pendingOf(address(0)) as [PoolTransaction] // it was sent
    test.pool.remove(transaction.hash)
    broadcaster.onHead([transaction.hash])
    expect(broadcaster.takeDropped(transaction.id)).toBe(false)
  })

  it('keeps the last twenty thousand that the pool dropped, whatever the engine does with them', async () => {
    test.transfer(0, 0)
    await settle()
    const [transaction] = test.pool.pendingOf(address(0)) as [PoolTransaction] // it was sent
    const count = 20_001
    for (let index = 0; index < count; index++) {
      broadcaster.add({ ...transaction, id: `${index}` })
      broadcaster.markInMempool(`${index}`)
      broadcaster.forget(`${index}`, false)
    }
    expect(broadcaster.takeDropped('0')).toBe(false)
    expect(broadcaster.takeDropped('1')).toBe(true)
    expect(broadcaster.takeDropped(`${count - 1}`)).toBe(true)
  })

  it('sends one again that the engine took, and does not check again with the others', async () => {
    test.transfer(0, 0)
    test.transfer(1, 0)
    await settle()
    expect(engine.mempool).toHaveLength(2)
    const kept = test.pool.pendingOf(address(0))[0] as PoolTransaction // it was sent
    for (let head = 0; head < 8; head++) {
      broadcaster.onHead([])
      broadcaster.markInMempool(kept.id, true)
    }
    await settle()
    expect(engine.mempool).toHaveLength(3)
    expect(isSame(engine.mempool[2] as Uint8Array, nativeOf(1))).toBe(true)
  })

  it('sends what was acknowledged here again after a while, ever more seldom, and nothing of others', async () => {
    const own = test.send(0, dynamicFee(), true).transaction as PoolTransaction
    const foreign = test.send(1, dynamicFee()).transaction as PoolTransaction
    await settle()
    expect(engine.mempool).toHaveLength(2)
    const renewedAt: number[] = []
    for (let head = 1; head <= 120; head++) {
      broadcaster.onHead([])
      expect(broadcaster.takeRenewal(foreign)).toBe(false)
      broadcaster.markInMempool(foreign.id, true)
      if (broadcaster.takeRenewal(own)) {
        renewedAt.push(head)
        // The engine drops it, and takes it once more.
        await later(10_000)
      } else broadcaster.markInMempool(own.id, true)
    }
    expect(renewedAt).toEqual([17, 49, 113])
    expect(engine.mempool.filter((native) => isSame(native, nativeOf(0)))).toHaveLength(4)
    expect(engine.mempool.filter((native) => isSame(native, nativeOf(1)))).toHaveLength(1)
    // Not what a block holds by now.
    broadcaster.forget(own.id, true)
    expect(broadcaster.takeRenewal(own)).toBe(false)
  })

  it('does not count as rejected what it sends again', async () => {
    test.send(0, dynamicFee(), true)
    await settle()
    const [own] = [...test.pool.transactions()] as [PoolTransaction]
    engine.answer = () => new Error('mempool is full')
    test.transfer(1, 0)
    await settle()
    expect(broadcaster.stats).toMatchObject({ retried: 1, failures: 1 })
    for (let head = 1; head <= 17; head++) {
      broadcaster.onHead([])
      broadcaster.markInMempool(own.id, true)
      expect(broadcaster.takeRenewal(own)).toBe(head === 17)
    }
    expect(broadcaster.stats).toMatchObject({ retried: 1 })
    const [other] = test.pool.pendingOf(address(1)) as [PoolTransaction]
    broadcaster.markInMempool(other.id)
    expect(broadcaster.stats).toMatchObject({ retried: 0 })
    expect(logged.at(-1)).toBe('info the engine takes transactions again')
    engine.answer = () => taken
    await later(10_000)
    expect(engine.mempool.filter((native) => isSame(native, nativeOf(0)))).toHaveLength(2)
  })

  it('sends few again at a head, however many are due', async () => {
    for (let sender = 0; sender < 100; sender++) test.send(sender, dynamicFee(), true)
    await settle()
    const all = [...test.pool.transactions()]
    const renewed: number[] = []
    for (let head = 1; head <= 20; head++) {
      broadcaster.onHead([])
      for (const { id } of all) broadcaster.markInMempool(id, true)
      renewed.push(all.filter((tx) => broadcaster.takeRenewal(tx)).length)
    }
    expect(renewed.filter((count) => count > 0)).toEqual([32, 32, 32, 4])
  })

  it('sends nothing again to an engine that checks nothing again', async () => {
    test.transfer(0, 0)
    await settle()
    for (let head = 0; head < 20; head++) broadcaster.onHead([])
    await settle()
    expect(engine.mempool).toHaveLength(1)
  })

  it('sends one again that the engine dropped while it could not be included', async () => {
    test.transfer(0, 0)
    await settle()
    const [transaction] = test.pool.pendingOf(address(0))
    if (transaction === undefined) throw new Error('nothing was sent')
    test.pool.onHead({ ...testHead, baseFee: 10n ** 12n }, { included: [], changed: [] })
    broadcaster.returnFromMempool(transaction)
    await settle()
    expect(broadcaster.stats).toMatchObject({ waiting: 0, held: 1 })
    expect(engine.mempool).toHaveLength(1)
    test.pool.onHead(testHead, { included: [], changed: [] })
    broadcaster.onHead([])
    await settle()
    expect(engine.mempool).toHaveLength(2)
  })
})
