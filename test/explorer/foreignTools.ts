import type { Page } from 'playwright-core'
import { encodeErrorResult, encodeEventTopics, type Hex, parseAbi } from 'viem'
import { Refusal } from './distort.ts'
import { type Case, openAll, type Say, tokenAbi, transaction, words, zeroHash } from './foreignCase.ts'

const urlEvent = parseAbi(['event URI(string value, uint256 indexed id)'])
const hashedEvent = parseAbi(['event Hashed(string indexed text)'])

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Events without an ABI, by a known signature, and with a text of which there is only the hash. */
const logs = (say: Say, address: Hex, transactionHash: string = zeroHash) => {
  const place = { blockNumber: '0x7', transactionHash }
  const [uri] = encodeEventTopics({ abi: urlEvent, eventName: 'URI', args: { id: 1n } })
  const [hashed] = encodeEventTopics({ abi: hashedEvent })
  return [
    { ...place, logIndex: '0x0', address: say(), topics: [say(), say()], data: say() },
    { ...place, logIndex: '0x1', address, topics: [uri, `0x${'0'.repeat(63)}1`], data: words(say()) },
    { ...place, logIndex: '0x2', address, topics: [hashed, say()], data: '0x' },
  ]
}

/** Gives strings for places that are not drawn. */
const silently = (say: Say): Say => Object.assign(() => say.hidden(), { hidden: say.hidden })

/** What a node says was registered for a contract: functions to read and to write, and an event. */
const contract = (say: Say, address: Hex) => {
  const text = (name: string) => [{ name, type: 'string' }]
  const abi = [
    { type: 'function', name: say(), stateMutability: 'view', inputs: [], outputs: text(say()) },
    { type: 'function', name: say(), stateMutability: 'nonpayable', inputs: text(say()), outputs: [] },
    { type: 'event', name: 'Hashed', inputs: [{ name: say.hidden(), type: 'string', indexed: true }] },
  ]
  return { address, name: say(), abi }
}

const steps = (say: Say, address: Hex) => {
  const step = {
    step: 0,
    pc: 0,
    op: say(),
    depth: 1,
    gas: 100,
    gasCost: 1,
    address: say(),
    code: address,
    error: say(),
    stack: [say()],
    memorySize: 32,
    memory: `0x${say()}`,
  }
  const store = { kind: 'store', step: 0, depth: 1, address: step.address, slot: '0x1', value: '0x2' }
  return { steps: [step], total: 1, failed: true, marks: [store, { kind: 'fail', step: 0, depth: 1 }] }
}

const compiled = (say: Say) => ({
  name: say(),
  sourceMap: '0:4:0',
  creationCode: '0x',
  creationMap: '',
  sources: [{ id: 0, path: say(), content: `${say()}\n${say()}` }],
})

/** A wallet that announces itself with a name and refuses with a message. */
const announceWallet = (page: Page, name: string, message: string) =>
  page.evaluate(`(() => {
    const provider = { request: () => Promise.reject(new Error(${JSON.stringify(message)})) }
    const detail = { info: { uuid: 'planted', name: ${JSON.stringify(name)} }, provider }
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  })()`)

/** The console at a method whose name is foreign, which the link has too. */
const methodByName = (): Case => {
  let name = ''
  return {
    name: 'the console, at a method with such a name',
    files: ['console/console.tsx', 'console/methodForm.tsx'],
    link: (_, say) => {
      name = say()
      return `#/console/${encodeURIComponent(name)}`
    },
    lies: () => ({ 'rpc.discover': () => ({ methods: [{ name, params: [] }] }) }),
  }
}

/** The views of the overview, of contracts and of what people do with the page. */
export const toolCases: readonly Case[] = [
  {
    name: 'the overview',
    files: ['overview/overview.tsx', 'overview/newestTransactions.tsx'],
    link: () => '',
    lies: (say, { hostileFailure }) => {
      const [mode, fork] = [say(), say()]
      const found = transaction(say)
      return {
        perihelion_status: (status: object) => ({ ...status, mode, fork }),
        eth_getBlockByNumber: (block: { readonly transactions: readonly unknown[] }) =>
          block.transactions.includes(hostileFailure) ? { ...block, transactions: [found.hash] } : block,
        eth_getTransactionByHash: (real: unknown, [asked]) => (asked === found.hash ? found : real),
        net_peerCount: () => say.hidden(),
        perihelion_abis: () => [],
        web3_clientVersion: (version: string) => `${version} ${say.hidden()}`,
      }
    },
  },
  {
    name: 'the search, which the node refuses',
    files: ['overview/overview.tsx'],
    link: () => '',
    lies: (say) => {
      const message = say()
      return {
        eth_getBlockByHash: () => {
          throw new Refusal(message)
        },
      }
    },
    act: async (page) => {
      await page.getByRole('searchbox').first().fill(zeroHash)
      await page.keyboard.press('Enter')
    },
  },
  {
    name: 'the logs',
    files: ['logs.tsx', 'transaction/events.tsx'],
    link: (_, say) =>
      `#/logs?from=0&to=latest&address=${encodeURIComponent(say.hidden())}&t1=${encodeURIComponent(say.hidden())}`,
    lies: (say, { gold }) => {
      const [list, known] = [logs(say, gold, say()), contract(silently(say), gold)]
      return { eth_getLogs: () => list, perihelion_abis: () => [known] }
    },
    // A search for what the link says is none.
    act: async (page) => {
      for (const field of await page.locator('main form input').all())
        if ((await field.inputValue()).includes('m1')) await field.fill('')
      await press(page, 'Search')
    },
  },
  {
    name: 'the events of a transaction, with an ABI of the node',
    files: ['transaction/events.tsx'],
    link: ({ transfer }) => `#/tx/${transfer}?tab=events`,
    lies: (say, { gold }) => {
      const list = logs(say, gold)
      const known = { ...contract(silently(say), gold), name: say() }
      return {
        eth_getTransactionReceipt: (receipt: object) => ({ ...receipt, logs: list }),
        perihelion_abis: () => [known],
      }
    },
    act: openAll,
  },
  {
    name: 'the forms of a contract, with names of an ABI, of a wallet and of an answer',
    files: ['account/contractForms.tsx', 'account/readForm.tsx', 'account/parameterFields.tsx'],
    link: ({ gold }) => `#/address/${gold}?tab=contract`,
    lies: (say, { gold }) => {
      const [known, answer] = [contract(say, gold), say()]
      return {
        perihelion_abis: () => [known],
        eth_call: () => words(answer),
        eth_accounts: () => [say.hidden()],
      }
    },
    act: async (page, say) => {
      await announceWallet(page, say(), say())
      await openAll(page)
      await press(page, 'Write')
    },
  },
  {
    name: 'the forms of a contract, with the reason of a failure',
    files: ['account/callProblem.tsx', 'account/writeForm.tsx'],
    link: ({ gold }) => `#/address/${gold}?tab=contract`,
    lies: (say, { gold }) => {
      const known = contract(silently(say), gold)
      const [reason, message] = [say(), say()]
      const data = encodeErrorResult({ abi: tokenAbi, errorName: 'Error', args: [reason] })
      return {
        perihelion_abis: () => [known],
        eth_call: () => {
          throw new Refusal('execution reverted', data)
        },
        eth_sendTransaction: () => {
          throw new Refusal(message)
        },
      }
    },
    act: async (page) => {
      await openAll(page)
      await press(page, 'Write')
    },
  },
  {
    name: 'a file that is dropped as an ABI',
    files: ['account/abiDrop.tsx'],
    link: ({ hostile }) => `#/address/${hostile}?tab=contract`,
    // The node keeps what an earlier run dropped.
    lies: () => ({ perihelion_abis: () => [] }),
    act: async (page, say, { hostile }) => {
      const { abi } = contract(silently(say), hostile)
      const buffer = Buffer.from(JSON.stringify(abi))
      const file = { name: `${say()}.json`, mimeType: 'application/json', buffer }
      await page.getByLabel('ABI file').setInputFiles(file)
    },
  },
  {
    name: 'the storage of a contract, as a text',
    files: ['account/storage.tsx'],
    link: ({ gold }) => `#/address/${gold}?tab=storage`,
    lies: (say) => {
      const bytes = Buffer.alloc(32)
      const length = bytes.write(say(), 0, 31)
      bytes[31] = 2 * length
      return { eth_getStorageAt: () => `0x${bytes.toString('hex')}` }
    },
    act: (page) => press(page, 'Read'),
  },
  {
    name: 'the storage of a contract, whose answer is none',
    files: ['account/storage.tsx'],
    link: ({ gold }) => `#/address/${gold}?tab=storage`,
    lies: (say) => {
      const value = say()
      return { eth_getStorageAt: () => value }
    },
    act: (page) => press(page, 'Read'),
  },
  {
    name: 'the console',
    files: ['console/console.tsx', 'console/methodForm.tsx'],
    link: () => '#/console/planted',
    lies: (say) => {
      const params = [
        { name: say(), summary: say(), schema: {} },
        { name: 'second', schema: { description: say() } },
      ]
      const examples = [{ name: say(), params: [{ name: 'first', value: say.hidden() }] }]
      const method = { name: 'planted', summary: say(), params, examples, 'x-access': say() }
      const [message, data] = [say(), say()]
      const methods = [method, { name: say(), params: [] }]
      return {
        'rpc.discover': () => ({ methods }),
        planted: () => {
          throw new Refusal(message, data)
        },
      }
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^Example/ }).click()
      await press(page, 'Call')
    },
  },
  methodByName(),
  {
    name: 'the debugger, with its source',
    files: [
      'debug/debugger.tsx',
      'debug/jumps.tsx',
      'debug/sourcePanel.tsx',
      'debug/stepList.tsx',
      'debug/stepState.tsx',
    ],
    link: ({ deepFailure }) => `#/debug/${deepFailure}`,
    lies: (say, { gold }) => {
      const [trace, source] = [steps(say, gold), compiled(say)]
      return { perihelion_traceSteps: () => trace, perihelion_compiledContract: () => source }
    },
  },
  {
    name: 'the debugger, at a file that the node refuses',
    files: ['debug/sourcePanel.tsx'],
    link: ({ deepFailure }) => `#/debug/${deepFailure}`,
    lies: (say) => {
      const message = say()
      return {
        hardhat_addCompilationResult: () => {
          throw new Refusal(message)
        },
      }
    },
    act: async (page) => {
      await openAll(page)
      const buffer = Buffer.from('{"input":{"sources":{}},"output":{"contracts":{}}}')
      const file = { name: 'build.json', mimeType: 'application/json', buffer }
      await page.getByLabel('Build-info file').setInputFiles(file)
    },
  },
  {
    name: 'the dev tools',
    files: ['devTools/devTools.tsx'],
    link: () => '#/dev',
    lies: (say) => {
      const message = say()
      return {
        eth_accounts: () => [say.hidden()],
        anvil_mine: () => {
          throw new Refusal(message)
        },
      }
    },
    act: (page) => press(page, 'Mine'),
  },
]
