import type { Page } from 'playwright-core'
import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Changes } from './distort.ts'
import type { SampleChain } from './sampleChain.ts'

/** Gives the string for a place, which the page has to draw; one for a place that draws no text is `hidden`. */
export interface Say {
  (): string
  readonly hidden: () => string
}

/** A view whose node lies wherever it answers with a string. */
export interface Case {
  readonly name: string
  /** The files of `explorer/views` that draw it. */
  readonly files: readonly string[]
  readonly link: (sample: SampleChain, say: Say) => string
  readonly lies: (say: Say, sample: SampleChain) => Changes
  /** What a reader does until all is drawn. */
  readonly act?: (page: Page, say: Say, sample: SampleChain) => Promise<unknown>
}

const zeroHash: Hex = `0x${'0'.repeat(64)}`
/** Of `name()`. */
const nameSelector = '0x06fdde03'
const words = (...texts: readonly string[]): Hex =>
  encodeAbiParameters(
    texts.map(() => ({ type: 'string' }) as const),
    texts as never,
  )
const tokenAbi = parseAbi(['function log(string)', 'error Error(string)'])

/** What a token says of itself. */
const tokenNames = (name: string, symbol: string): Changes => ({
  eth_call: (_, [call]) =>
    words((call as { readonly data?: string } | undefined)?.data === nameSelector ? name : symbol),
})

/** The members of every transaction, with strings that no chain would have. */
const transaction = (say: Say) => ({
  hash: say(),
  blockHash: zeroHash,
  blockNumber: '0x7',
  transactionIndex: '0x0',
  from: say(),
  to: say(),
  value: '0x0',
  nonce: '0x0',
  gas: '0x5208',
  gasPrice: '0x1',
  input: '0x12345678',
  type: '0x2',
  cosmos: { types: [`a.${say()}`] },
})

/** What makes the page take the node for one of CometBFT, with strings of its own. */
const native = (say: Say): Changes => ({
  rpc_modules: (modules: object) => ({ ...modules, cosmos: say.hidden() }),
  perihelion_status: (status: object) => ({ ...status, mode: say.hidden(), fork: say.hidden() }),
  net_peerCount: () => say.hidden(),
})

const nativeEvents = (say: Say) => [{ type: say(), attributes: [{ key: say(), value: say() }] }]

const openAll = async (page: Page): Promise<void> => {
  for (const button of await page.locator('main .twist').all()) await button.click()
  for (const one of await page.locator('main details:not([open]) > summary').all()) await one.click()
}

/** The test beside this file finds a view that is neither here nor in the list below. */
export const cases: readonly Case[] = [
  {
    name: 'validators',
    files: ['validators.tsx'],
    link: () => '#/validators',
    lies: (say) => {
      const validator = { pubkey: say(), cometbftAddress: say(), power: '0x1', reward: say() }
      return { perihelion_validators: () => [validator] }
    },
  },
  {
    name: 'the pool',
    files: ['pool.tsx'],
    link: () => '#/pool',
    lies: (say) => {
      const content = { pending: { [say.hidden()]: { [say.hidden()]: transaction(say) } }, queued: {} }
      return { txpool_content: () => content }
    },
  },
  {
    name: 'the blocks',
    files: ['block/blocks.tsx'],
    link: () => '#/blocks',
    lies: (say) => {
      const miner = say()
      return { eth_getBlockByNumber: (block: object) => ({ ...block, miner }) }
    },
  },
  ...(['transactions', 'raw'] as const).map(
    (tab): Case => ({
      name: `a block, ${tab}`,
      files: ['block/block.tsx'],
      link: () => `#/block/7?tab=${tab}`,
      lies: (say) => {
        const names = ['hash', 'parentHash', 'miner', 'stateRoot', 'extraData']
        const change = {
          ...Object.fromEntries(names.map((name) => [name, say()])),
          transactions: [transaction(say)],
        }
        return {
          eth_getBlockByNumber: (block: { readonly number: string }) =>
            Number(block.number) === 7 ? { ...block, ...change } : block,
          eth_getBlockReceipts: () => [],
        }
      },
    }),
  ),
  {
    name: 'a native block',
    files: ['block/nativeBlock.tsx'],
    link: () => '#/block/7?tab=native',
    lies: (say) => {
      const header = {
        chain_id: say(),
        height: say(),
        time: say(),
        proposer_address: say(),
        app_hash: say(),
      }
      const block = { block_id: { hash: say() }, block: { header, moniker: say() } }
      const results = { finalize_block_events: nativeEvents(say) }
      return { ...native(say), cosmos_getBlock: () => block, cosmos_getBlockResults: () => results }
    },
  },
  {
    name: 'a transaction',
    files: ['transaction/summary.tsx', 'transaction/transfers.tsx', 'transaction/typedLists.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}`,
    lies: (say) => {
      const lists = {
        type: say(),
        from: say(),
        to: say(),
        input: say(),
        accessList: [{ address: say(), storageKeys: [`0x${say()}`] }],
        authorizationList: [{ address: say(), chainId: '0x1', nonce: '0x1' }],
        blobVersionedHashes: [say()],
      }
      const [denom, address] = [say(), say()]
      return {
        eth_getTransactionByHash: (found: object) => ({ ...found, ...lists }),
        eth_getTransactionReceipt: (found: { readonly logs: readonly object[] }) => ({
          ...found,
          logs: found.logs.map((one) => ({ ...one, address, cosmos: { denom } })),
        }),
      }
    },
  },
  {
    name: 'the transfers of a transaction, by the names of tokens',
    files: ['transaction/transfers.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}`,
    lies: (say) => {
      const [name, symbol] = [say(), say()]
      return {
        ...tokenNames(name, symbol),
      }
    },
  },
  {
    name: 'the raw forms of a transaction',
    files: ['transaction/transaction.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}?tab=raw`,
    lies: (say) => {
      const [raw, member] = [say(), say()]
      return {
        eth_getRawTransactionByHash: () => raw,
        eth_getTransactionByHash: (found: object) => ({ ...found, member }),
      }
    },
  },
  {
    name: 'the reason of a failure, in the words of a contract',
    files: ['transaction/failureReason.tsx'],
    link: ({ deepFailure }) => `#/tx/${deepFailure}`,
    lies: (say) => {
      const output = encodeErrorResult({ abi: tokenAbi, errorName: 'Error', args: [say()] })
      return { debug_traceTransaction: () => ({ type: 'CALL', output, error: 'execution reverted' }) }
    },
  },
  {
    name: 'the reason of a failure, in the words of the node',
    files: ['transaction/failureReason.tsx'],
    link: ({ deepFailure }) => `#/tx/${deepFailure}`,
    lies: (say) => {
      const frame = { type: 'CALL', output: say(), error: say() }
      return { debug_traceTransaction: () => frame }
    },
  },
  {
    name: 'the calls of a transaction, with texts of console.log',
    files: ['transaction/callTree.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}?tab=calls`,
    lies: (say) => {
      const input = encodeFunctionData({ abi: tokenAbi, functionName: 'log', args: [say()] })
      const inner = { type: 'STATICCALL', to: '0x000000000000000000636F6e736F6c652e6c6f67', input }
      const failed = { type: say(), to: say(), input: say(), error: say(), output: say() }
      const reasoned = { type: 'CALL', input: '0x', error: 'e', revertReason: say() }
      const root = { type: 'CALL', gasUsed: '0x1', input: '0x', calls: [inner, failed, reasoned] }
      return { debug_traceTransaction: () => root }
    },
    act: openAll,
  },
  {
    name: 'the changes of a transaction',
    files: ['transaction/stateChanges.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}?tab=state`,
    lies: (say) => {
      const address = say()
      const slot = `0x${say()}`
      const diff = {
        pre: { [address]: { storage: { [slot]: `0x${say()}` } } },
        post: { [address]: { storage: { [slot]: `0x${say()}` } } },
      }
      return { debug_traceTransaction: () => diff }
    },
  },
  {
    name: 'a native transaction',
    files: ['transaction/native.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}?tab=native`,
    lies: (say) => {
      const found = {
        hash: say(),
        height: say(),
        tx_result: { code: say(), log: say(), codespace: say(), events: nativeEvents(say) },
      }
      return { ...native(say), cosmos_getTransaction: () => found }
    },
  },
  {
    name: 'an account',
    files: ['account/account.tsx', 'account/history.tsx'],
    link: ({ gold }) => `#/address/${gold}`,
    lies: (say) => {
      const [name, symbol, bech32] = [say(), say(), say()]
      const creator = { hash: say(), creator: say() }
      const found = { txs: [transaction(say)], receipts: [{ status: '0x1' }], lastPage: true }
      return {
        ...native(say),
        ...tokenNames(name, symbol),
        ots_getContractCreator: () => creator,
        cosmos_toBech32: () => bech32,
        ots_searchTransactionsBefore: () => found,
      }
    },
  },
  {
    name: 'the tokens of an account',
    files: ['account/tokens.tsx'],
    link: ({ bob }) => `#/address/${bob}?tab=tokens`,
    lies: (say) => {
      const [address, name, symbol] = [say(), say(), say()]
      return {
        eth_getLogs: () => [{ address }],
        ...tokenNames(name, symbol),
      }
    },
  },
]

/** The views that have no case yet. */
export const withoutCase: readonly string[] = [
  'account/abiDrop.tsx',
  'account/callProblem.tsx',
  'account/contractForms.tsx',
  'account/parameterFields.tsx',
  'account/readForm.tsx',
  'account/storage.tsx',
  'account/writeForm.tsx',
  'console/console.tsx',
  'console/methodForm.tsx',
  'debug/debugger.tsx',
  'debug/jumps.tsx',
  'debug/sourcePanel.tsx',
  'debug/stepList.tsx',
  'debug/stepState.tsx',
  'devTools/devTools.tsx',
  'logs.tsx',
  'notFound.tsx',
  'overview/charts.tsx',
  'overview/newestTransactions.tsx',
  'overview/overview.tsx',
  'transaction/events.tsx',
]
