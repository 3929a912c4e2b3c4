import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveChain } from '../../support/programs/chainFiles.ts'
import type { RpcResponse as Answer } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { RandomCall } from './randomCalls.ts'

interface Difference {
  readonly index: number
  readonly own: Answer
  readonly geth: Answer
  readonly call: RandomCall | undefined
}

interface AccessListAnswer {
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  readonly gasUsed: string
  readonly error?: string
}

const fixture = (name: string): string => fileURLToPath(new URL(`exported/${name}`, import.meta.url))
const known = JSON.parse(readFileSync(fixture('calls.json'), 'utf8')) as {
  /** The hash of the head. */
  readonly head: string
  readonly calls: readonly (RandomCall & Answer)[]
}
const { calls } = known
const indexesOf = (wanted: RandomCall['method']): readonly number[] =>
  calls.flatMap(({ method }, index) => (method === wanted ? [index] : []))

/**
 * Where the answers differ, and why that is right or does not matter; none of these does. One cause is known that
 * random programs meet now and then: the machine pays for a stretch of code at once, so that where one of its
 * instructions fails and the gas is not enough for all of them, it says `out of gas` and geth what failed. Either way
 * all gas is gone and nothing is done.
 */
const exceptions: ReadonlyMap<number, string> = new Map([])

/** Geth names the hash of a transaction that was never sent. */
const withoutHash = (message: string): string =>
  message.replace(/^failed to apply transaction: 0x[0-9a-f]{64} err/, 'failed to apply transaction: err')

describe('calls on a chain that was made here and that geth executed', () => {
  let folder: string
  let own: Awaited<ReturnType<typeof serveChain>>

  beforeAll(async () => {
    folder = temporaryHome()
    const files = { genesis: fixture('genesis.json'), chain: fixture('chain.rlp') }
    // Answers are compared, not the time that a busy machine takes for them.
    own = await serveChain(files, folder, ['--json-rpc.evm-timeout=60s', '--json-rpc.http-timeout=60s'])
  })
  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ours = async (index: number): Promise<Answer> => {
    const { method, params } = calls[index] as RandomCall
    return own.client.send(method, params)
  }
  /** Exactly the named ones differ; the first others are shown in full. */
  const report = (method: RandomCall['method'], differences: readonly Difference[]): void => {
    const expected = indexesOf(method).filter((index) => exceptions.has(index))
    expect(differences.filter(({ index }) => !exceptions.has(index)).slice(0, 3)).toEqual([])
    expect(differences.map(({ index }) => index)).toEqual(expected)
  }
  const isSameError = (own: Answer, geth: Answer): boolean =>
    own.error !== undefined &&
    geth.error !== undefined &&
    own.error.code === geth.error.code &&
    own.error.data === geth.error.data &&
    own.error.message === withoutHash(geth.error.message)

  test('the head is the same block', async () => {
    const { hash } = await own.client.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(hash).toBe(known.head)
    expect(calls).toHaveLength(500)
  })

  test('eth_call: results, codes, words and data are the same', async () => {
    const differences: Difference[] = []
    for (const index of indexesOf('eth_call')) {
      const geth = calls[index] as Answer
      const own = await ours(index)
      if (geth.error ? !isSameError(own, geth) : own.result !== geth.result)
        differences.push({ index, own, geth, call: calls[index] })
    }
    report('eth_call', differences)
  })

  test('eth_estimateGas: never more than geth, and less only by its tolerance', slow, async () => {
    const differences: Difference[] = []
    for (const index of indexesOf('eth_estimateGas')) {
      const geth = calls[index] as Answer
      const own = await ours(index)
      const isRight = geth.error
        ? isSameError(own, geth)
        : own.error === undefined &&
          Number(own.result) <= Number(geth.result) &&
          Number(own.result) >= Number(geth.result) * 0.985
      if (!isRight) differences.push({ index, own, geth, call: calls[index] })
    }
    report('eth_estimateGas', differences)
  })

  test('eth_createAccessList: lists and gas are the same', slow, async () => {
    const sorted = ({ accessList }: AccessListAnswer) =>
      [...accessList]
        .map(({ address, storageKeys }) => ({ address, storageKeys: [...storageKeys].sort() }))
        .sort((a, b) => (a.address < b.address ? -1 : 1))
    const differences: Difference[] = []
    for (const index of indexesOf('eth_createAccessList')) {
      const geth = calls[index] as Answer
      const own = await ours(index)
      const [mine, theirs] = [own.result, geth.result] as (AccessListAnswer | undefined)[]
      const isRight =
        mine === undefined || theirs === undefined
          ? isSameError(own, geth)
          : JSON.stringify(sorted(mine)) === JSON.stringify(sorted(theirs)) &&
            mine.gasUsed === theirs.gasUsed &&
            (mine.error ?? '') === (theirs.error ?? '')
      if (!isRight) differences.push({ index, own, geth, call: calls[index] })
    }
    report('eth_createAccessList', differences)
  })
})
