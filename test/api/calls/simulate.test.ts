import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'

interface Call {
  readonly status: string
  readonly returnData: string
  readonly gasUsed: string
  readonly logs: readonly {
    readonly address: string
    readonly logIndex: string
    readonly blockHash: string
    readonly topics: readonly string[]
  }[]
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly hash: string
  readonly parentHash: string
  readonly gasLimit: string
  readonly miner: string
  readonly stateRoot: string
  readonly logsBloom: string
  readonly transactions: readonly unknown[]
  readonly calls: readonly Call[]
}

const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const to = `0x${'77'.repeat(20)}`
const other = `0x${'88'.repeat(20)}`
const coin = `0x${'ee'.repeat(20)}`
const poor = `0x${'99'.repeat(20)}`
const transfer = { from, to, value: '0x1' }

/** Writes an empty log. */
const log = '5f5fa0'
/** Calls `other` with all the value that came, and writes a log of its own. */
const forward = `5f5f5f5f3473${other.slice(2)}5af150${log}00`

describe('eth_simulateV1', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.close())

  const simulate = (blocks: readonly object[], more: object = {}): Promise<readonly Block[]> =>
    node.call<readonly Block[]>('eth_simulateV1', { blockStateCalls: blocks, ...more }, 'latest')
  const refusal = async (blocks: readonly object[], more: object = {}): Promise<number> =>
    (await node.failure('eth_simulateV1', { blockStateCalls: blocks, ...more }, 'latest')).code

  test('fills gaps between numbers with empty blocks that follow each other', async () => {
    const blocks = await simulate([
      { blockOverrides: { number: '0x3', gasLimit: '0x100000', feeRecipient: other } },
      { calls: [transfer] },
    ])
    expect(blocks.map(({ number }) => number)).toEqual(['0x1', '0x2', '0x3', '0x4'])
    for (const [index, { parentHash, timestamp }] of blocks.entries()) {
      const before = blocks[index - 1]
      if (before === undefined) continue
      expect(parentHash).toBe(before.hash)
      expect(Number(timestamp) - Number(before.timestamp)).toBe(12)
    }
    // What a block says of its limit and its beneficiary holds until one says otherwise.
    expect(blocks[3]).toMatchObject({ gasLimit: '0x100000', miner: other })
    expect(new Set(blocks.map(({ stateRoot }) => stateRoot)).size).toBe(4)
  })

  test('keeps nothing', async () => {
    await simulate([{ stateOverrides: { [to]: { balance: '0x64' } }, calls: [transfer] }])
    expect(await node.call('eth_getBalance', to, 'latest')).toBe('0x0')
    expect(await node.call('eth_blockNumber')).toBe('0x0')
  })

  test('carries state from block to block, and an override only replaces what it names', async () => {
    const blocks = await simulate([
      { stateOverrides: { [poor]: { balance: '0x5' } }, calls: [{ from: poor, to, value: '0x5' }] },
      { calls: [{ from: to, to: other, value: '0x5' }] },
    ])
    expect(blocks.map(({ calls }) => calls[0]?.status)).toEqual(['0x1', '0x1'])
    expect(await refusal([{ calls: [{ from: poor, to, value: '0x5' }] }])).toBe(-38014)
  })

  test('logs transfers on demand; a log that was taken back keeps its number', async () => {
    const overrides = {
      [to]: { code: `0x${forward}` },
      [other]: { code: `0x${log}5f5ffd` },
    }
    const calls = [{ ...transfer, value: '0x9' }, transfer]
    const [block] = await simulate([{ stateOverrides: overrides, calls }], { traceTransfers: true })
    // The second transfer and the callee's log are undone by its revert.
    expect(block?.calls[0]?.logs.map(({ address, logIndex }) => [address, logIndex])).toEqual([
      [coin, '0x0'],
      [to, '0x3'],
    ])
    expect(block?.calls[1]?.logs.map(({ logIndex }) => logIndex)).toEqual(['0x4', '0x7'])
    expect(block?.calls[0]?.logs[0]?.blockHash).toBe(block?.hash)
    const [plain] = await simulate([{ stateOverrides: overrides, calls }])
    expect(plain?.calls[0]?.logs.map(({ address, logIndex }) => [address, logIndex])).toEqual([[to, '0x1']])
    // Transfers are not logs of the block.
    expect(plain?.logsBloom).toBe(block?.logsBloom)
  })

  test('tells reverts from other failures', async () => {
    const [block] = await simulate([
      {
        stateOverrides: { [to]: { code: '0x60aa5f526001601ffd' }, [other]: { code: '0xfe' } },
        calls: [{ to }, { to: other, gas: '0x10000' }],
      },
    ])
    expect(block?.calls[0]).toMatchObject({
      status: '0x0',
      returnData: '0x',
      error: { code: 3, data: '0xaa' },
    })
    expect(block?.calls[1]).toMatchObject({ status: '0x0', gasUsed: '0x10000', error: { code: -32015 } })
  })

  test('gives every fault its code', async () => {
    const strict = { validation: true }
    const paid = { ...transfer, maxFeePerGas: '0x77359400' }
    expect(await refusal([])).toBe(-32602)
    expect(await refusal([{ blockOverrides: { number: '0x0' } }])).toBe(-38020)
    expect(await refusal([{ blockOverrides: { time: '0x1' } }])).toBe(-38021)
    expect(await refusal([{ blockOverrides: { number: '0x101' } }])).toBe(-38026)
    expect(await refusal(Array.from({ length: 257 }, () => ({})))).toBe(-38026)
    expect(await refusal([{ calls: Array.from({ length: 5001 }, () => ({})) }])).toBe(-38026)
    expect(await refusal([{ calls: [{ ...transfer, gas: '0x3938701' }] }])).toBe(-38015)
    expect(await refusal([{ calls: [{ ...transfer, gas: '0x5207' }] }])).toBe(-38013)
    expect(await refusal([{ calls: [transfer] }], strict)).toBe(-38012)
    expect(await refusal([{ calls: [{ ...paid, nonce: '0x1' }] }], strict)).toBe(-38011)
    expect(
      await refusal(
        [{ stateOverrides: { [from]: { nonce: '0x5' } }, calls: [{ ...paid, nonce: '0x1' }] }],
        strict,
      ),
    ).toBe(-38010)
    expect(await refusal([{ calls: [{ ...paid, maxPriorityFeePerGas: '0x77359401' }] }], strict)).toBe(-32602)
    expect(await refusal([{ calls: [{ from, data: `0x${'00'.repeat(49_153)}` }] }])).toBe(-38025)
    expect(await refusal([{ stateOverrides: { [to]: { movePrecompileToAddress: other } } }])).toBe(-32000)
    const [accepted] = await simulate([{ calls: [{ ...paid, nonce: '0x0' }] }], strict)
    expect(accepted?.calls[0]?.status).toBe('0x1')
  })

  test('what cannot be a transaction has the codes of geth', async () => {
    const hash = `0x01${'00'.repeat(31)}`
    const seven = Array.from({ length: 7 }, () => hash)
    const codes = [
      [{ ...transfer, authorizationList: [] }, -32603],
      [{ from, authorizationList: [] }, -32000],
      [{ ...transfer, blobVersionedHashes: [] }, -32603],
      [{ from, blobVersionedHashes: [hash] }, -32000],
      [{ ...transfer, blobVersionedHashes: [`0x02${'00'.repeat(31)}`] }, -32603],
      [{ ...transfer, blobVersionedHashes: seven }, -32603],
    ] as const
    const answered = await Promise.all(codes.map(([call]) => refusal([{ calls: [call] }])))
    expect(answered).toEqual(codes.map(([, code]) => code))
    // 2,000 bytes need more gas for their floor (EIP-7623) than for anything else.
    const data = `0x${'11'.repeat(2_000)}`
    expect(await refusal([{ calls: [{ ...transfer, data, gas: '0xe000' }] }])).toBe(-38013)
    const cheap = { ...transfer, maxFeePerGas: '0x77359400', maxFeePerBlobGas: '0x0' }
    expect(
      await refusal([{ calls: [{ ...cheap, blobVersionedHashes: [hash] }] }], { validation: true }),
    ).toBe(-32603)
  })

  describe('from an account with the largest nonce', () => {
    const stateOverrides = (nonce: string): object => ({ stateOverrides: { [from]: { nonce } } })
    const almost = stateOverrides('0xfffffffffffffffe')
    const largest = stateOverrides('0xffffffffffffffff')
    const create = { from, data: '0x5f5ff3' }

    test('nothing follows it with validation, with the code of the official suite', async () => {
      const strict = { validation: true }
      const paid = { gas: '0x186a0', maxFeePerGas: '0xba43b7400' }
      for (const call of [transfer, create]) {
        expect(await refusal([{ ...largest, calls: [{ ...call, ...paid }] }], strict)).toBe(-32603)
        const [block] = await simulate([{ ...almost, calls: [{ ...call, ...paid }] }], {
          ...strict,
          returnFullTransactions: true,
        })
        expect(block?.transactions).toMatchObject([{ nonce: '0xfffffffffffffffe' }])
      }
    })

    test('calls go on without validation, and its nonce begins again', async () => {
      const [block] = await simulate([{ ...largest, calls: [transfer, transfer] }], {
        returnFullTransactions: true,
      })
      expect(block?.calls).toMatchObject([{ status: '0x1' }, { status: '0x1' }])
      expect(block?.transactions).toMatchObject([{ nonce: '0xffffffffffffffff' }, { nonce: '0x0' }])
      const [next] = await simulate([{ ...almost, calls: [create, transfer] }])
      expect(next?.calls).toMatchObject([{ status: '0x1' }, { status: '0x1' }])
    })

    test('the nonce of a call alone does not become that of its account', async () => {
      const [block] = await simulate([{ calls: [{ ...transfer, nonce: '0xffffffffffffffff' }, transfer] }], {
        returnFullTransactions: true,
      })
      expect(block?.transactions).toMatchObject([{ nonce: '0xffffffffffffffff' }, { nonce: '0x1' }])
    })
  })

  test('shares one gas cap among all calls', async () => {
    const spend = { to, gas: '0x2000000' }
    const [first, second] = await simulate([
      { stateOverrides: { [to]: { code: '0x5b5f56' } }, calls: [spend] },
      { calls: [spend] },
    ])
    expect(first?.calls[0]).toMatchObject({ gasUsed: '0x2000000', error: { message: 'out of gas' } })
    expect(Number(second?.calls[0]?.gasUsed)).toBe(50_000_000 - 0x2000000)
    expect(second?.calls[0]?.error?.message).toContain('capped')
  })

  test('stands on the pending block too', async () => {
    const blocks = await node.call<readonly Block[]>(
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [transfer] }] },
      'pending',
    )
    expect(blocks[0]?.number).toBe('0x2')
  })

  test('is stopped past its time', async () => {
    const impatient = await startTestNode('--json-rpc.evm-timeout=300ms', '--json-rpc.gas-cap=1000000000000')
    const endless = {
      blockOverrides: { gasLimit: '0xffffffffff' },
      stateOverrides: { [to]: { code: '0x5b5f56' } },
      calls: [{ to }],
    }
    const { code, message } = await impatient.failure('eth_simulateV1', { blockStateCalls: [endless] })
    expect(code).toBe(-32000)
    expect(message).toBe('execution aborted (timeout = 0.3s)')
    // The worker is there for the next one.
    const [block] = await impatient.call<readonly Block[]>('eth_simulateV1', {
      blockStateCalls: [{ calls: [transfer] }],
    })
    expect(block?.calls[0]?.status).toBe('0x1')
    await impatient.close()
  })
})
