import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { PairsChain, readPairs } from './pairs.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

/**
 * What the chain's own JSON-RPC answered, line by line, and what the gateway in front of the same chain does. Where
 * they differ the line stands here, with the reason; one that is equal may not. Numbers in brackets are those of
 * section 15 of the rules of conversion, which lists what the recorded server does wrong.
 */
const differences: Readonly<Record<number, { readonly why: string; readonly ours: unknown }>> = {
  4: {
    why: 'an empty revert has code 3 and data (13)',
    ours: { error: { code: 3, message: 'execution reverted', data: '0x' } },
  },
  5: {
    why: 'no words of transports (12)',
    ours: { error: { code: -32000, message: 'invalid opcode: INVALID' } },
  },
  6: {
    why: 'no words of transports (12)',
    ours: { error: { code: -32000, message: 'out of gas: not enough gas for reentrancy sentry' } },
  },
  9: {
    why: '"safe" is the newest block (4); here that is 144',
    ours: { result: `0x${'7'.padStart(64, '0')}` },
  },
  10: {
    why: 'the newest block was another when it was recorded; here it is 144',
    ours: { result: `0x${'7'.padStart(64, '0')}` },
  },
  11: {
    why: '"earliest" is the first block that is there, not the newest (4)',
    ours: { result: `0x${'7'.padStart(64, '0')}` },
  },
  12: { why: 'the chain has no block 0 (4)', ours: { error: { code: -32000, message: 'header not found' } } },
  14: {
    why: 'geth’s words for an unknown block',
    ours: { error: { code: -32000, message: 'header not found' } },
  },
  15: { why: 'the block may be left out, as in geth', ours: { result: `0x${'7'.padStart(64, '0')}` } },
  19: {
    why: 'an empty revert has code 3 and data (13)',
    ours: { error: { code: 3, message: 'execution reverted', data: '0x' } },
  },
  20: {
    why: 'no words of transports (12)',
    ours: { error: { code: -32000, message: 'invalid opcode: INVALID' } },
  },
  21: {
    why: 'no words of transports (12)',
    ours: { error: { code: -32000, message: 'out of gas: not enough gas for reentrancy sentry' } },
  },
  22: {
    why: 'the recorded list is the one that was given (6); ours is traced, and no trace of a call was recorded',
    ours: { error: { code: -32000, message: 'not recorded' } },
  },
  28: {
    why: 'our transactions have blockTimestamp, as geth’s',
    ours: expect.objectContaining({
      result: expect.objectContaining({ blockTimestamp: '0x6af92419', blockNumber: '0x90' }),
    }),
  },
  34: {
    why: 'an impossible range is -32602, by the official suite',
    ours: { error: expect.objectContaining({ code: -32602 }) },
  },
  35: {
    why: 'a range beyond the head is -32602, by the official suite (15)',
    ours: { error: expect.objectContaining({ code: -32602 }) },
  },
  36: {
    why: 'an impossible range is -32602, by the official suite',
    ours: { error: expect.objectContaining({ code: -32602 }) },
  },
  37: {
    why: 'of the three blocks one is recorded; the next fee is the true one (11)',
    ours: {
      result: {
        oldestBlock: '0x90',
        reward: [['0x3b9aca00', '0x3b9aca00', '0xb2d05dfc']],
        baseFeePerGas: ['0x4', '0x4'],
        gasUsedRatio: [0.0817326],
        baseFeePerBlobGas: ['0x1', '0x1'],
        blobGasUsedRatio: [0],
      },
    },
  },
  38: {
    why: 'none of the four blocks is recorded',
    ours: { error: { code: -32002, message: 'blocks below 144 are not kept' } },
  },
  39: {
    why: 'our cap is a setting, 1024 by default',
    ours: { result: expect.objectContaining({ oldestBlock: '0x90' }) },
  },
  41: { why: 'an unknown block is null, as in geth (10)', ours: { result: null } },
  42: { why: 'an unknown block is null, as in geth (10)', ours: { result: null } },
  43: {
    why: 'the newest state is proven like any other (5)',
    ours: { result: expect.objectContaining({ proofType: 'ics23', nonce: '0x2' }) },
  },
  49: { why: 'the version of the wire protocol, as decided', ours: { result: '0x44' } },
  50: { why: 'the gateway’s own name', ours: { result: expect.stringMatching(/^perihelion\//) } },
  51: {
    why: 'the gateway’s own namespaces',
    ours: { result: expect.objectContaining({ eth: '1.0', debug: '1.0' }) },
  },
  52: { why: 'the method is there', ours: { result: '0x1' } },
  53: { why: 'the method is there', ours: { result: '0x7cb61d4117ae31a12e393a1cfa3bac666481d02e' } },
  56: { why: 'each trace has the hash of its transaction (14)', ours: expect.anything() },
}

const plain = ({ result, error }: { readonly result?: unknown; readonly error?: unknown }): unknown =>
  error === undefined ? { result } : { error }

describe('the recorded pairs', () => {
  let replay: Replay
  let gateway: ServedGateway
  const home = temporaryHome()

  beforeAll(async () => {
    replay = await startReplay({ chain: new PairsChain() })
    const flags = [
      `--gateway.node=${replay.url}`,
      '--gateway.family=cosmos-evm-0.7',
      // The recording has no commits.
      '--gateway.verify=false',
      '--json-rpc.gas-cap=25000000',
    ]
    gateway = await serveGateway(home, flags)
  })
  afterAll(async () => {
    await gateway?.close()
    await replay?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const pairs = readPairs()

  test('there are as many as are known', () => {
    expect(pairs.length).toBe(56)
  })

  test.each(pairs.map((pair, index) => [index + 1, pair.method, pair] as const))(
    'line %i, %s',
    async (line, method, pair) => {
      const ours = plain(await gateway.ask(method, pair.params))
      const difference = differences[line]
      if (difference === undefined) expect(ours).toEqual(plain(pair))
      else {
        expect(ours).not.toEqual(plain(pair))
        expect(ours).toEqual(difference.ours)
      }
    },
  )

  test('traces of a block are those that were recorded, each with its hash', async () => {
    const recorded = pairs.find(({ method }) => method === 'debug_traceBlockByNumber')
    const traces = await gateway.call<{ txHash: string; result: unknown }[]>(
      'debug_traceBlockByNumber',
      ...(recorded?.params ?? []),
    )
    const block = await gateway.call<{ transactions: string[] }>('eth_getBlockByNumber', '0x90', false)
    expect(traces.map(({ txHash }) => txHash)).toEqual(block.transactions)
    expect(traces.map(({ txHash, ...rest }) => rest)).toEqual(recorded?.result)
  })
})
