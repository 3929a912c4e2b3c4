import { afterAll, beforeAll, expect, test } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** What the node tells of itself, and the list of methods beside that of other tools. */

let node: TestNode
beforeAll(async () => {
  node = await startTestNode('--ephemeral')
})
afterAll(() => node.close())

test('node info and metadata have the members of anvil', async () => {
  const info = await node.call<Record<string, unknown>>('anvil_nodeInfo')
  expect(info).toMatchObject({
    currentBlockNumber: '0x0',
    hardFork: 'Osaka',
    transactionOrder: 'fees',
    environment: { chainId: 31337, gasLimit: '0x3938700' },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
  })
  const id = await node.call<string>('evm_snapshot')
  const metadata = await node.call<Record<string, unknown>>('anvil_metadata')
  expect(metadata).toMatchObject({
    chainId: 31337,
    latestBlockNumber: 0,
    latestBlockHash: info.currentBlockHash,
    snapshots: { [id]: [0, info.currentBlockHash] },
  })
})

test('node info has the order of the pool', async () => {
  const other = await startTestNode('--ephemeral', '--txpool.order=fifo')
  try {
    expect(await other.call('anvil_nodeInfo')).toMatchObject({ transactionOrder: 'fifo' })
  } finally {
    await other.close()
  }
})

/** anvil's own list, with its aliases. */
const anvil = [
  'addBalance autoImpersonateAccount classifyTransaction dealERC20 dealTIP20 dropAllTransactions dropTransaction dumpState',
  'getAutomine getBlobByHash getBlobsByTransactionHash getGenesisTime getIntervalMining getLastBlockWallTime',
  'impersonateAccount impersonateSignature increaseTime loadState metadata mine mine_detailed nodeInfo',
  'removeBlockTimestampInterval removePoolTransactions reorg reset revert rollback setAutomine setBalance setBlockGasLimit',
  'setBlockTimestampInterval setChainId setCode setCoinbase setERC20Allowance setERC20Balance setFeeAmmLiquidity setFeeToken',
  'setIntervalMining setLoggingEnabled setMinGasPrice setNextBlockBaseFeePerGas setNextBlockPrevRandao',
  'setNextBlockTimestamp setNonce setRpcUrl setStorageAt setTime setValidatorFeeToken snapshot stopImpersonatingAccount',
]
const hardhat = [
  'addBalance addCompilationResult autoImpersonateAccount dealERC20 dropAllTransactions dropTransaction dumpState getAutomine',
  'getStackTraceFailuresCount impersonateAccount intervalMine loadState metadata mine reset setBalance setCode setCoinbase',
  'setLoggingEnabled setMinGasPrice setNextBlockBaseFeePerGas setNonce setPrevRandao setStorageAt stopImpersonatingAccount',
]
const evm = [
  'addAccount increaseTime mine mine_detailed removeAccount revert setAccountBalance setAccountCode setAccountNonce',
  'setAccountStorageAt setAutomine setBlockGasLimit setIntervalMining setNextBlockTimestamp setTime snapshot',
]

test.each([
  ['anvil', anvil],
  ['hardhat', hardhat],
  ['evm', evm],
])('every method of %s is there', (namespace, rows) => {
  const wanted = rows.flatMap((row) => row.split(' ')).map((name) => `${namespace}_${name}`)
  const found = methods.map(({ name }) => name).filter((name) => name.startsWith(`${namespace}_`))
  expect(found.sort()).toEqual(wanted.sort())
})

test('contracts that a client describes are found by their code', async () => {
  const output = { contracts: { 'a.sol': { A: { abi: [], evm: { deployedBytecode: { object: '6001' } } } } } }
  expect(await node.call('hardhat_addCompilationResult', '0.8.30', { language: 'Solidity' }, output)).toBe(
    true,
  )
  expect(await node.failure('hardhat_addCompilationResult', '0.8.30', 1, 2)).toMatchObject({ code: -32602 })
})
