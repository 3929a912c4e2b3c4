import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'
import { executionApis, executionApisMissing } from '../officialSuites.ts'

/** Those of the official request/response files whose answers are known from genesis on, over a real node. */
const files = [
  'debug_getRawBlock/get-genesis.io',
  'debug_getRawBlock/get-invalid-number.io',
  'debug_getRawHeader/get-genesis.io',
  'debug_getRawReceipts/get-invalid-number.io',
  'debug_getRawTransaction/get-invalid-hash.io',
  'eth_getBlockByHash/get-block-by-notfound-hash.io',
  'eth_getBlockReceipts/get-block-receipts-earliest.io',
  'eth_getBlockReceipts/get-block-receipts-not-found.io',
  'eth_getBlockTransactionCountByHash/get-genesis.io',
  'eth_getCode/get-code-unknown-account.io',
  'eth_getStorageAt/get-storage-invalid-key-too-large.io',
  'eth_getStorageValues/get-storage-values-empty-request.io',
  'eth_getTransactionByHash/get-empty-tx.io',
  'eth_getTransactionCount/get-nonce-unknown-account.io',
  'eth_getTransactionReceipt/get-notfound-tx.io',
  'net_version/get-network-id.io',
  'txpool_contentFrom/get-content-from-address.io',
] as const

interface Request {
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Response {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly data?: unknown }
}

const isThere = existsSync(executionApis)

describe('official files at genesis', () => {
  let node: TestNode | undefined
  beforeAll(async () => {
    if (!isThere) return
    const api = 'debug,eth,net,txpool'
    node = await startTestNode(
      `--genesis=${join(executionApis, 'genesis.json')}`,
      '--engine=none',
      `--json-rpc.api=${api}`,
    )
  })
  afterAll(() => node?.close())

  test.for(files)('%s', async (file, context) => {
    if (node === undefined) return context.skip(executionApisMissing)
    const lines = readFileSync(join(executionApis, file), 'utf8').split('\n')
    const read = (mark: string): unknown =>
      JSON.parse(lines.find((line) => line.startsWith(mark))?.slice(3) ?? '')
    const { method, params = [] } = read('>>') as Request
    const { result, error } = read('<<') as Response
    if (error === undefined) expect(await node.call(method, ...params)).toEqual(result)
    else expect((await node.failure(method, ...params)).code).toBe(error.code)
  })
})
