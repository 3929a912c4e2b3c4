import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'
import { slow } from '../../support/slow.ts'

const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** Counts instructions by name, and says where it stands. */
const script = `{
  count: 0,
  step: function(log) { this.count++ },
  fault: function() {},
  result: function(ctx, db) {
    return { count: this.count, type: ctx.type, block: ctx.block, index: ctx.txIndex, hash: ctx.txHash && toHex(ctx.txHash), inBlock: ctx.blockHash && toHex(ctx.blockHash), used: ctx.gasUsed, nonce: db.getNonce(ctx.from) }
  }
}`

interface Receipt {
  readonly blockHash: string
  readonly blockNumber: string
  readonly gasUsed: string
}

/** Time enough on a busy machine. */
const timeout = '20s'

describe('scripts by every method that takes a tracer', () => {
  let node: TestNode
  let hash: string
  let receipt: Receipt
  beforeAll(async () => {
    node = await startTestNode()
    // Init code that adds and leaves nothing.
    hash = await node.call<string>('eth_sendTransaction', {
      from,
      data: '0x6001600201505f5ff3',
      gas: '0x20000',
    })
    receipt = await node.call<Receipt>('eth_getTransactionReceipt', hash)
  })
  afterAll(() => node.close())

  const expected = () => ({
    count: 7,
    type: 'CREATE',
    block: Number(receipt.blockNumber),
    index: 0,
    hash,
    inBlock: receipt.blockHash,
    used: Number(receipt.gasUsed),
    nonce: 1,
  })

  test('debug_traceTransaction', slow, async () => {
    expect(await node.call('debug_traceTransaction', hash, { tracer: script, timeout })).toEqual(expected())
  })

  test('debug_traceBlockByNumber and debug_traceBlockByHash', async () => {
    const entry = [{ txHash: hash, result: expected() }]
    const config = { tracer: script, timeout }
    expect(await node.call('debug_traceBlockByNumber', receipt.blockNumber, config)).toEqual(entry)
    expect(await node.call('debug_traceBlockByHash', receipt.blockHash, config)).toEqual(entry)
  })

  test('debug_traceCall', async () => {
    const config = { tracer: script, timeout }
    const traced = await node.call('debug_traceCall', { from, to: from, gas: '0x5208' }, 'latest', config)
    expect(traced).toMatchObject({ count: 0, type: 'CALL', used: 21_000 })
  })

  test('a script that fails says why, and the next one runs', slow, async () => {
    const broken = { tracer: '{ fault: function() {}, result: function() { return missing } }', timeout }
    const { code, message } = await node.failure('debug_traceTransaction', hash, broken)
    expect(code).toBe(-32000)
    expect(message).toBe(
      "ReferenceError: 'missing' is not defined    in server-side tracer function 'result'",
    )
    const [entry] = await node.call<readonly { error?: string }[]>(
      'debug_traceBlockByNumber',
      receipt.blockNumber,
      broken,
    )
    expect(entry?.error).toBe(message)
    const endless = { tracer: '{ fault: function() {}, result: function() { for (;;); } }', timeout: '1s' }
    expect((await node.failure('debug_traceTransaction', hash, endless)).message).toBe('execution timeout')
    expect(await node.call('debug_traceTransaction', hash, { tracer: script, timeout })).toEqual(expected())
  })
})
