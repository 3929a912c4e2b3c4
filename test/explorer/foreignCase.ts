import type { Page } from 'playwright-core'
import { encodeAbiParameters, type Hex, parseAbi } from 'viem'
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

export const zeroHash: Hex = `0x${'0'.repeat(64)}`
/** Of `name()`. */
const nameSelector = '0x06fdde03'
export const words = (...texts: readonly string[]): Hex =>
  encodeAbiParameters(
    texts.map(() => ({ type: 'string' }) as const),
    texts as never,
  )
export const tokenAbi = parseAbi(['function log(string)', 'error Error(string)'])

/** What a token says of itself. */
export const tokenNames = (name: string, symbol: string): Changes => ({
  eth_call: (_, [call]) =>
    words((call as { readonly data?: string } | undefined)?.data === nameSelector ? name : symbol),
})

/** The members of every transaction, with strings that no chain would have. */
export const transaction = (say: Say) => ({
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
export const native = (say: Say): Changes => ({
  rpc_modules: (modules: object) => ({ ...modules, cosmos: say.hidden() }),
  perihelion_status: (status: object) => ({ ...status, mode: say.hidden(), fork: say.hidden() }),
  net_peerCount: () => say.hidden(),
})

export const nativeEvents = (say: Say) => [{ type: say(), attributes: [{ key: say(), value: say() }] }]

/** Opens all that is closed, at once: what is clicked one by one may be gone before its turn. */
export const openAll = (page: Page): Promise<unknown> =>
  page.evaluate(`for (const one of document.querySelectorAll('main .twist[aria-expanded="false"]')) one.click()
    for (const one of document.querySelectorAll('main details')) one.open = true`)
