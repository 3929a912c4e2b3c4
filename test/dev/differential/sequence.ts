import { boxCode } from '../../support/boxContract.ts'
import { createRandom } from '../../support/random.ts'
import type { ChainUnderTest } from './chain.ts'
import { accounts, box, type Operation, randomOperations, readBlock } from './operations.ts'

/** A difference between two chains, and how they came to it. */
export interface Difference {
  readonly seed: number
  readonly steps: readonly string[]
  readonly step: string
  /** The first value that differs, where it is and what it is on both. */
  readonly values: { readonly path: string; readonly ours: unknown; readonly theirs: unknown }
}

/** Returns the first value that differs. */
const findDifference = (ours: unknown, theirs: unknown, path = ''): Difference['values'] => {
  const isNested = [ours, theirs].every((value) => typeof value === 'object' && value !== null)
  const [ourMembers, theirMembers] = [Object(ours), Object(theirs)]
  const names = isNested ? Object.keys({ ...ourMembers, ...theirMembers }) : []
  const name = names.find((each) => JSON.stringify(ourMembers[each]) !== JSON.stringify(theirMembers[each]))
  return name === undefined
    ? { path, ours, theirs }
    : findDifference(ourMembers[name], theirMembers[name], `${path}/${name}`)
}

const baseFee = '0x3b9aca00'
const gasLimit = '0x3938700'
const coinbase = `0x${'c0'.repeat(20)}`

/** Puts both chains where every sequence begins: a first block with the same values, and time that no clock counts. */
const begin = async (chain: ChainUnderTest, seed: number): Promise<void> => {
  chain.clear()
  await chain.require('anvil_reset')
  await chain.require('anvil_setAutomine', true)
  await chain.require('anvil_autoImpersonateAccount', false)
  for (const account of accounts) await chain.require('anvil_stopImpersonatingAccount', account)
  await chain.require('anvil_setCoinbase', coinbase)
  await chain.require('evm_setBlockGasLimit', gasLimit)
  await chain.require('anvil_setBlockTimestampInterval', 10)
  await chain.require('evm_setNextBlockTimestamp', 4_000_000_000 + seed)
  await chain.require('anvil_setNextBlockBaseFeePerGas', baseFee)
  await chain.require('anvil_setCode', box, boxCode)
  // An account that has storage and nothing else is empty (EIP-161), and goes when it is touched; in anvil it stays.
  await chain.require('anvil_setBalance', box, '0x1')
  await chain.require('evm_mine')
}

/** Returns everything that both chains should have in common. */
const readAll = async (chain: ChainUnderTest): Promise<unknown> => {
  const head = Number(await chain.require<string>('eth_blockNumber'))
  const numbers = Array.from({ length: head }, (_, index) => `0x${(index + 1).toString(16)}`)
  const blocks = await Promise.all(numbers.map((number) => readBlock(chain, number)))
  const states = await Promise.all(
    accounts.map(async (account) => [
      account,
      await chain.require('eth_getBalance', account, 'latest'),
      await chain.require('eth_getTransactionCount', account, 'latest'),
      await chain.require('eth_getCode', account, 'latest'),
    ]),
  )
  const slots = await Promise.all(
    [0, 1, 2].map((slot) => chain.require('eth_getStorageAt', box, `0x${slot}`, 'latest')),
  )
  return { head, blocks, states, slots }
}

const readEverything: Operation = { text: 'all blocks and accounts', run: readAll }

/** Runs a sequence on both chains; undefined if they answered alike. */
export const runSequence = async (
  ours: ChainUnderTest,
  theirs: ChainUnderTest,
  seed: number,
): Promise<Difference | undefined> => {
  const random = createRandom(seed)
  await Promise.all([begin(ours, seed % 1_000_000), begin(theirs, seed % 1_000_000)])
  const steps: string[] = []
  for (const operation of [...randomOperations(random), readEverything]) {
    steps.push(operation.text)
    const answers = await Promise.all([operation.run(ours), operation.run(theirs)] as const)
    if (JSON.stringify(answers[0]) === JSON.stringify(answers[1])) continue
    return { seed, steps, step: operation.text, values: findDifference(...answers) }
  }
  return undefined
}
