import { boxInitCode, storeData } from '../../support/boxContract.ts'
import { eventually } from '../../support/eventually.ts'

/** Calls a node over HTTP; throws its error. */
export type Call = <T = string>(method: string, ...params: readonly unknown[]) => Promise<T>

export class CallError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const callOver =
  (url: string): Call =>
  async <T>(method: string, ...params: readonly unknown[]) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as {
      result?: unknown
      error?: { code: number; message: string; data?: unknown }
    }
    if (error !== undefined) throw new CallError(error)
    return result as T // as the test expects
  }

/** Returns the code of the error of a call that must fail. */
export const codeOf = async (failing: Promise<unknown>): Promise<number> => {
  try {
    await failing
  } catch (error) {
    if (error instanceof CallError) return error.code
    throw error
  }
  throw new Error('the call did not fail')
}

export interface Receipt {
  readonly blockNumber: string
  readonly contractAddress: string
  readonly status: string
  readonly transactionHash: string
}

/** What a remote chain has below and above the block at which tests fork it. */
export interface RemoteChain {
  /** An account with a key of the remote, and with code, storage and logs the contract that it made. */
  readonly owner: string
  readonly box: string
  /** An account that only has a balance. */
  readonly holder: string
  /** The transaction that made the contract, and those that stored 5 and 6 in it, in blocks below the fork block. */
  readonly created: string
  readonly stored: readonly [string, string]
  /** The fork block. */
  readonly forkBlock: number
  /** A transaction in a block above it, which stores 7. */
  readonly later: string
}

export const holder = `0x${'a5'.repeat(20)}`

/** Sends transactions one after the other, each of which gets a block. */
export const makeRemoteChain = async (call: Call): Promise<RemoteChain> => {
  const [owner = ''] = await call<string[]>('eth_accounts')
  const send = async (request: Record<string, unknown>): Promise<Receipt> => {
    const hash = await call('eth_sendTransaction', { from: owner, gas: '0x30d40', ...request })
    let receipt: Receipt | null = null
    await eventually(async () => {
      try {
        receipt = await call<Receipt | null>('eth_getTransactionReceipt', hash)
      } catch (error) {
        // geth says so for a moment after its start.
        if (!(error instanceof CallError && error.message.includes('indexing'))) throw error
      }
      return receipt !== null
    })
    return receipt as unknown as Receipt // it is there
  }
  const { contractAddress: box, transactionHash: created } = await send({ data: boxInitCode })
  const first = await send({ to: box, data: storeData(5n) })
  const second = await send({ to: box, data: storeData(6n) })
  await send({ to: holder, value: '0xde0b6b3a7640000' })
  const forkBlock = Number(await call('eth_blockNumber'))
  const later = await send({ to: box, data: storeData(7n) })
  return {
    owner,
    box,
    holder,
    created,
    stored: [first.transactionHash, second.transactionHash],
    forkBlock,
    later: later.transactionHash,
  }
}
