import { setTimeout as sleep } from 'node:timers/promises'
import { boxCode, storeData } from '../../support/boxContract.ts'
import type { Random } from '../../support/random.ts'
import type { ChainUnderTest } from './chain.ts'

/** One step of a sequence: what is done on both chains, and what is compared of the answer. */
export interface Operation {
  readonly text: string
  run(chain: ChainUnderTest): Promise<unknown>
}

type Json = Record<string, unknown>

/** Accounts of the public development mnemonic, and some without a key. */
export const owners = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
]
export const strangers = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`, `0x${'a3'.repeat(20)}`]
export const box = `0x${'b0'.repeat(20)}`
export const accounts = [...owners, ...strangers, box]

const hex = (value: bigint | number): string => `0x${value.toString(16)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
const ether = 10n ** 18n

/** Returns an answer without what differs from program to program: the text of an error. */
const outcome = async (chain: ChainUnderTest, method: string, ...params: unknown[]): Promise<unknown> => {
  const { result, error } = await chain.send(method, ...params)
  return error === undefined ? result : 'an error'
}

const plain = (method: string, ...params: unknown[]): Operation => ({
  text: `${method} ${JSON.stringify(params)}`,
  run: (chain) => outcome(chain, method, ...params),
})

/** Waits for the block of what was sent: anvil answers before it is made, we after it. */
const settle = async (chain: ChainUnderTest): Promise<void> => {
  if (!(await chain.require<boolean>('anvil_getAutomine'))) return
  for (let tries = 0; tries < 2000; tries++) {
    const { pending } = await chain.require<{ pending: string }>('txpool_status')
    if (Number(pending) === 0) return
    await sleep(1)
  }
}

/** Sends a transaction whose every member is given, and remembers its hash. */
const send = (request: Json): Operation => ({
  text: `eth_sendTransaction ${JSON.stringify(request)}`,
  run: async (chain) => {
    const { result, error } = await chain.send('eth_sendTransaction', request)
    if (error !== undefined) return 'an error'
    if (!chain.transactions.includes(result as string)) chain.transactions.push(result as string)
    await settle(chain)
    return chain.transactionName(result as string)
  },
})

const blockMembers = ['number', 'timestamp', 'baseFeePerGas', 'gasLimit', 'gasUsed', 'miner'] as const

/** Returns what two chains have in common of a block. */
export const readBlock = async (chain: ChainUnderTest, at: string): Promise<unknown> => {
  const { result } = await chain.send('eth_getBlockByNumber', at, false)
  if (result === null || result === undefined) return null
  const block = result as Json
  return {
    ...Object.fromEntries(blockMembers.map((member) => [member, block[member]])),
    transactions: (block.transactions as string[]).map((hash) => chain.transactionName(hash)).sort(),
  }
}

const readReceipt = (index: number): Operation => ({
  text: `the receipt of transaction ${index}`,
  run: async (chain) => {
    const hash = chain.transactions[index]
    if (hash === undefined) return 'none was sent'
    const { result } = await chain.send('eth_getTransactionReceipt', hash)
    if (result === null || result === undefined) return null
    const { status, gasUsed, blockNumber, from, to, contractAddress, logs, type } = result as Json
    return { status, gasUsed, blockNumber, from, to, contractAddress, logs: (logs as unknown[]).length, type }
  },
})

const withSnapshot = (index: number): Operation => ({
  text: `evm_revert to snapshot ${index}`,
  run: async (chain) => {
    const { id, isGone, isReverted } = chain.snapshots[index] ?? {}
    if (id === undefined) return 'none was taken'
    // An earlier one was reverted to: false on both, but anvil removes blocks all the same and leaves their state.
    if (isReverted && chain.name === 'anvil') return false
    // Its block is not there any more: false here, an error in anvil.
    if (isGone) return 'its block was removed'
    const reverted = await outcome(chain, 'evm_revert', id)
    // anvil 1.7 goes on from the base fee of the reverted head; later versions restore it, as we do. It also goes back to the gas
    // limit of the block, where we go back to what was set at the snapshot.
    if (reverted === true) {
      await chain.require('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00')
      await chain.require('evm_setBlockGasLimit', '0x3938700')
      for (const later of chain.snapshots.slice(index + 1)) later.isReverted = true
    }
    return reverted
  },
})

const takeSnapshot: Operation = {
  text: 'evm_snapshot',
  run: async (chain) => {
    const height = Number(await chain.require('eth_blockNumber'))
    chain.snapshots.push({
      id: await chain.require('evm_snapshot'),
      height,
      isGone: false,
      isReverted: false,
    })
    return chain.snapshots.length
  },
}

/** Calls a method with a number that counts from the head. */
const relative = (
  text: string,
  run: (chain: ChainUnderTest, head: { readonly number: number; readonly time: number }) => Promise<unknown>,
): Operation => ({
  text,
  run: async (chain) => {
    const head = await chain.require<Json>('eth_getBlockByNumber', 'latest', false)
    return run(chain, { number: Number(head.number), time: Number(head.timestamp) })
  },
})

const dropNamed = (index: number): Operation => ({
  text: `anvil_dropTransaction of transaction ${index}`,
  run: async (chain) => {
    const hash = chain.transactions[index]
    if (hash === undefined) return 'none was sent'
    const { result } = await chain.send('anvil_dropTransaction', hash)
    return result === null ? null : chain.transactionName(result as string)
  },
})

/**
 * A rollback that leaves the first block, with the base fee set for what follows: anvil goes on from that of the reverted head,
 * we from the new head's. anvil fails where nothing is to be reverted; we do nothing.
 */
const rollback = (method: string, depth: number, ...params: unknown[]): Operation =>
  relative(`${method} of ${depth} blocks with a base fee`, async (chain, { number }) => {
    await chain.require('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00')
    const possible = Math.min(depth, number - 1)
    if (possible === 0) return 'nothing to revert'
    for (const snapshot of chain.snapshots) snapshot.isGone ||= snapshot.height > number - possible
    return outcome(chain, method, possible, ...params)
  })

type Maker = (random: Random) => Operation

const value = (random: Random): bigint => random.integer(70)

type Makers = readonly (readonly [weight: number, make: Maker])[]

/** Changes from outside a block. */
const edits: Makers = [
  [3, (random) => plain('anvil_setBalance', random.pick(accounts), hex(10n * ether + value(random)))],
  [1, (random) => plain('anvil_addBalance', random.pick(strangers), hex(value(random)))],
  [2, (random) => plain('anvil_setStorageAt', box, hex(random.below(3)), word(value(random)))],
  [
    1,
    (random) =>
      plain(
        'anvil_setCode',
        random.pick([...strangers, box]),
        random.pick([boxCode, '0x', '0x00', '0x5f5ffd']),
      ),
  ],
  [1, (random) => plain('anvil_setNonce', random.pick(strangers), hex(100 + random.below(100)))],
  // A limit that was set stays here when blocks are reverted; anvil goes back to that of the block.
  [1, (random) => plain('evm_setBlockGasLimit', hex(20_000_000 + random.below(10_000_000)))],
]

/**
 * What looks back. In anvil a height has the changes that were made to it later, and goes back to a height with them; here
 * it is what it was when it was made. So no sequence has both.
 */
const history: Makers = [
  [1, (random) => rollback('anvil_rollback', 1 + random.below(3))],
  [1, (random) => rollback('anvil_reorg', 1 + random.below(3), [])],
  [
    3,
    (random) => {
      const back = random.below(4)
      const account = random.pick(accounts)
      return relative(`the balance of ${account} ${back} blocks before the head`, (chain, { number }) =>
        outcome(chain, 'eth_getBalance', account, hex(Math.max(1, number - back))),
      )
    },
  ],
]

/** Every other kind of step. */
const others: Makers = [
  [
    5,
    (random) =>
      send({
        from: random.pick(owners),
        to: random.pick([...accounts, box]),
        value: hex(random.below(1000)),
        gas: '0x186a0',
        gasPrice: '0x174876e800',
      }),
  ],
  [
    3,
    (random) =>
      send({
        from: random.pick(owners),
        to: box,
        data: storeData(value(random)),
        gas: '0x186a0',
        gasPrice: '0x174876e800',
      }),
  ],
  [1, (random) => plain('anvil_impersonateAccount', random.pick(strangers))],
  [1, (random) => plain('anvil_stopImpersonatingAccount', random.pick(strangers))],
  [1, (random) => plain('anvil_autoImpersonateAccount', random.chance(0.5))],
  [
    2,
    (random) =>
      send({
        from: random.pick(strangers),
        to: random.pick(accounts),
        value: '0x1',
        gas: '0x186a0',
        gasPrice: '0x174876e800',
      }),
  ],
  [3, () => plain('evm_mine')],
  [2, (random) => plain('anvil_mine', hex(random.below(4)))],
  [1, (random) => plain('anvil_setAutomine', random.chance(0.7))],
  [1, (random) => plain('anvil_setNextBlockBaseFeePerGas', hex(random.below(1_000_000_000)))],
  [1, (random) => plain('anvil_setCoinbase', random.pick(accounts))],
  [
    2,
    (random) => {
      const later = random.below(1000)
      return relative(`evm_setNextBlockTimestamp ${later} after the head`, (chain, { time }) =>
        outcome(chain, 'evm_setNextBlockTimestamp', time + later),
      )
    },
  ],
  [1, (random) => plain('anvil_setBlockTimestampInterval', 1 + random.below(20))],
  [3, () => takeSnapshot],
  [2, (random) => withSnapshot(random.below(5))],
  [1, (random) => dropNamed(random.below(5))],
  [1, () => plain('anvil_dropAllTransactions')],
  [1, (random) => plain('anvil_removePoolTransactions', random.pick(owners))],
  [4, (random) => plain('eth_getBalance', random.pick(accounts), 'latest')],
  [2, (random) => plain('eth_getTransactionCount', random.pick(accounts), 'latest')],
  [2, (random) => plain('eth_getStorageAt', box, hex(random.below(3)), 'latest')],
  [1, (random) => plain('eth_getCode', random.pick(accounts), 'latest')],
  [2, () => plain('eth_call', { to: box }, 'latest')],
  [2, () => plain('eth_blockNumber')],
  [2, (random) => readReceipt(random.below(6))],
  [1, () => plain('anvil_getAutomine')],
  [
    2,
    (random) => {
      const back = random.below(4)
      return relative(`the block ${back} before the head`, (chain, { number }) =>
        // The first block of a reset anvil has values of the chain before.
        readBlock(chain, hex(Math.max(1, number - back))),
      )
    },
  ],
]

const choose = (makers: Makers, random: Random): Operation => {
  let at = random.below(makers.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, make] of makers) {
    if (at < weight) return make(random)
    at -= weight
  }
  throw new Error('the weights do not add up')
}

/** Returns the steps of a sequence. */
export const randomOperations = (random: Random): readonly Operation[] => {
  const makers = [...others, ...(random.chance(0.6) ? edits : history)]
  return Array.from({ length: 3 + random.below(22) }, () => choose(makers, random))
}
