import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { slow } from '../../support/slow.ts'
import { hasOfficialChain, type ServedChain, serveOfficialChain } from '../officialChain.ts'
import { executionApisMissing } from '../officialSuites.ts'

type Json = Readonly<Record<string, unknown>>

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly difficulty: string
  readonly uncles: readonly string[]
  readonly transactions: readonly (Json & { readonly type: string })[]
  readonly [member: string]: unknown
}

/** What a call needs of a transaction: a price of its own type, not the price paid. */
const toCall = ({ type, ...transaction }: Json & { readonly type: string }): Json => {
  const members = ['from', 'to', 'gas', 'value', 'input', 'nonce', 'accessList', 'authorizationList']
  const fees = Number(type) < 2 ? ['gasPrice'] : ['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas']
  return Object.fromEntries(
    [...members, ...fees, 'blobVersionedHashes'].flatMap((member) =>
      transaction[member] === undefined ? [] : [[member, transaction[member]]],
    ),
  )
}

const overridesOf = (block: Block): Json => ({
  number: block.number,
  time: block.timestamp,
  gasLimit: block.gasLimit,
  feeRecipient: block.miner,
  prevRandao: block.mixHash,
  difficulty: block.difficulty,
  baseFeePerGas: block.baseFeePerGas,
  beaconRoot: block.parentBeaconBlockRoot,
  withdrawals: block.withdrawals,
})

/** Simulated once more on its parent, a block of the chain leads to the state that it led to. */
describe('the official chain, simulated block by block', slow, () => {
  let served: ServedChain | undefined

  const call = async (name: string, params: readonly unknown[]): Promise<unknown> => {
    const request = { jsonrpc: '2.0', id: 1, method: name, params }
    const answer = JSON.parse(await postJson(served?.http ?? '', JSON.stringify(request))) as Json
    expect(answer.error).toBeUndefined()
    return answer.result
  }

  beforeAll(async () => {
    if (hasOfficialChain) served = await serveOfficialChain('--json-rpc.gas-cap=500000000')
  })

  afterAll(() => served?.close())

  test('leads to the same states, receipts and gas', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const head = Number(await call('eth_blockNumber', []))
    expect(head).toBe(54)
    for (let number = 1; number <= head; number++) {
      const block = (await call('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])) as Block
      const calls = block.transactions.map(toCall)
      const simulation = {
        blockStateCalls: [{ blockOverrides: overridesOf(block), calls }],
        validation: true,
      }
      const [made] = (await call('eth_simulateV1', [simulation, block.parentHash])) as [Block]
      const members = ['number', 'parentHash', 'gasUsed', 'logsBloom', 'baseFeePerGas']
      // A simulated block has no uncles to pay.
      if (block.uncles.length === 0) members.push('stateRoot')
      // A call with an access list and a gas price stands in its block as a legacy transaction.
      const isSameType = block.transactions.every(({ type }) => type !== '0x1')
      if (isSameType) members.push('receiptsRoot', 'requestsHash', 'withdrawalsRoot', 'excessBlobGas')
      const pick = (from: Json): Json => Object.fromEntries(members.map((member) => [member, from[member]]))
      expect(pick(made), `block ${number}`).toEqual(pick(block))
    }
  })
})
