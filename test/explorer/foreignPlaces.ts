import { encodeErrorResult, encodeFunctionData } from 'viem'
import { type Case, native, nativeEvents, openAll, tokenAbi, tokenNames, transaction } from './foreignCase.ts'

/** The views of the chain. */
export const chainCases: readonly Case[] = [
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
    name: 'the call of a transaction, decoded as text',
    files: ['transaction/summary.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}`,
    lies: (say) => {
      const input = encodeFunctionData({ abi: tokenAbi, functionName: 'log', args: [say()] })
      return { eth_getTransactionByHash: (found: object) => ({ ...found, input }) }
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
