import { afterAll, beforeAll, expect, test } from 'vitest'
import { methods } from '../../../src/api/methods.ts'
import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { decodeRlp } from '../../../src/base/encoding/rlp.ts'
import { decodeHeader } from '../../../src/chain/block/header.ts'
import { describeNetwork } from '../../network/describeNetwork.ts'
import { slow } from '../../support/slow.ts'
import { createRpc } from '../../support/verifier/rpc.ts'
import { compareAnswers } from './compareAnswers.ts'
import { excepted, silent } from './exceptions.ts'
import { generateIndexerRequests } from './indexerRequests.ts'
import { type PerihelionNetwork, startPerihelionNetwork } from './network.ts'
import { generateRequests } from './requests.ts'

/** `npm run long -- gateway` makes 500. */
const height = Number(process.env.GATEWAY_BLOCKS ?? 30)
/** Of calls and traces, which take longer. */
const every = height > 100 ? 5 : 6
/** Of what indexers ask; `npm run long -- gatewayIndexers` asks it of every block. */
const indexerEvery = process.env.GATEWAY_INDEXERS === 'all' ? 1 : every

interface QueryReply {
  readonly height: string
  readonly proofOps: { readonly ops: readonly { readonly type: string; readonly data: string }[] }
}

test('every method is compared, or excepted with a reason', () => {
  const sample = { blocks: [sampleBlock(0), sampleBlock(3)], contract: `0x${'11'.repeat(20)}`, accounts: [] }
  const asked = new Set(generateRequests(sample, 1).map(([method]) => method))
  // Dev methods change a chain of the own process; a gateway has none.
  const names = methods.filter(({ access }) => access !== 'dev').map(({ name }) => name)
  expect(names.filter((name) => asked.has(name) === Object.hasOwn(excepted, name))).toEqual([])
  expect([...asked, ...Object.keys(excepted)].filter((name) => !names.includes(name))).toEqual([])
})

const sampleBlock = (number: number) => ({
  number,
  hash: `0x${'22'.repeat(32)}`,
  rlp: '0xc0',
  transactions: [
    { hash: `0x${'33'.repeat(32)}`, from: `0x${'44'.repeat(20)}`, nonce: '0x0', nativeHash: '55'.repeat(32) },
  ],
})

describeNetwork('a gateway in front of our own CometBFT network', slow, () => {
  let network: PerihelionNetwork

  beforeAll(
    async () => {
      network = await startPerihelionNetwork(height)
    },
    300_000 + height * 2000,
  )
  afterAll(async () => network?.close())

  test('answers exactly as the node', { timeout: 120_000 + height * 4000 }, async () => {
    const { sample } = network
    const { differences, counts, told, total, different } = await compareAnswers(
      network,
      generateRequests(sample, every),
    )
    const blocks = sample.blocks.length
    const transactions = sample.blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    process.stderr.write(
      `gateway = node: ${total} answers of ${counts.size} methods about ${blocks} blocks with ${transactions} transactions, ${different} differ\n`,
    )
    expect(Object.fromEntries(differences)).toEqual({})
    expect(transactions).toBeGreaterThan(height)
    expect([...counts.keys()].filter((method) => !told.has(method)).sort()).toEqual([...silent].sort())
  })

  test('answers what indexers and explorers ask as the node', {
    timeout: 120_000 + height * 8000,
  }, async () => {
    const { sample } = network
    const requests = generateIndexerRequests(sample, indexerEvery)
    const { differences, counts, told, different } = await compareAnswers(
      network,
      requests,
      (done, wrong) => {
        if (done % 5_000 === 0)
          process.stderr.write(`${done} of ${requests.length} answers, ${wrong} differ\n`)
      },
    )
    const transactions = sample.blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    process.stderr.write(
      `gateway = node: ${requests.length} answers of trace_*, ots_* and erigon_* about one in ${indexerEvery} of ${sample.blocks.length} blocks with ${transactions} transactions, ${different} differ\n`,
    )
    expect(Object.fromEntries(differences)).toEqual({})
    const names = methods.map(({ name }) => name).filter((name) => /^(?:trace|ots|erigon)_/.test(name))
    expect([...counts.keys()].sort()).toEqual(names.sort())
    expect(names.filter((name) => !told.has(name))).toEqual([])
  })

  test('is given proofs that lead to the AppHash of the next header', async () => {
    const { engineUrl, sample } = network
    const engine = createRpc(engineUrl)
    const height = sample.blocks.length - 5
    const data = `01${sample.contract.slice(2)}`
    const at = `${height}`
    const { response } = await engine<{ response: QueryReply }>(
      'abci_query',
      '/store/acc/key',
      data,
      at,
      true,
    )
    const { block } = await engine<{ block: { header: { app_hash: string } } }>('block', `${height + 1}`)
    const [account, header] = response.proofOps.ops.map((operation) => Buffer.from(operation.data, 'base64'))
    const hash = keccak256(header ?? new Uint8Array(0))
    expect(toHex(hash).slice(2).toUpperCase()).toBe(block.header.app_hash)
    const [root] = decodeRlp(account ?? new Uint8Array(0)) as readonly Uint8Array[]
    const { stateRoot } = decodeHeader(header ?? new Uint8Array(0))
    expect(toHex(stateRoot)).toBe(toHex(keccak256(root ?? new Uint8Array(0))))
    expect(response.height).toBe(at)
  })

  test('finds the same logs by filter', async () => {
    const { node, gateway, sample } = network
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: sample.contract }
    const [expected, actual] = await Promise.all(
      [node, gateway].map(async (client) =>
        client.ask('eth_getFilterLogs', [await client.call<string>('eth_newFilter', filter)]),
      ),
    )
    expect(actual).toBe(expected)
  })
})
