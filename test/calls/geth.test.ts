import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { openChain, type RunningChain } from '../../src/cli/chain.ts'
import { loadConfig } from '../../src/config/load.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { callApi } from '../support/callApi.ts'
import type { RandomCall } from './randomCalls.ts'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

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

const known = JSON.parse(readFileSync(new URL('./geth.json', import.meta.url), 'utf8')) as {
  readonly genesisHash: string
  readonly genesis: object
  readonly calls: readonly (RandomCall & Answer)[]
}
const { calls } = known
const indexesOf = (wanted: RandomCall['method']): readonly number[] =>
  calls.flatMap(({ method }, index) => (method === wanted ? [index] : []))

/** Where the answers differ, and why that is right or does not matter. */
const exceptions: ReadonlyMap<number, string> = new Map([
  [311, 'geth lists the slot of an instruction for which the gas was not enough'],
  [317, 'geth lists the slot of an instruction for which the gas was not enough'],
  [349, 'a stretch of code has two failures, and the machine pays for the stretch before it meets the first'],
  [499, 'code that looks at its gas succeeds with little gas too, and geth does not look there'],
])

/** Geth counts operands and names the byte; here a failure is one word. */
const shortened = (message: string): string =>
  message
    .replace(/^stack underflow \(.*\)$/, 'stack underflow')
    .replace(/^stack limit reached .*$/, 'stack overflow')
    .replace(/^invalid opcode: .*$/, 'invalid opcode')
    .replace(/^failed to apply transaction: 0x[0-9a-f]{64} err/, 'failed to apply transaction: err')

describe('calls that geth answered too', () => {
  let folder: string
  let running: RunningChain

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-calls-'))
    const genesis = join(folder, 'genesis.json')
    writeFileSync(genesis, JSON.stringify(known.genesis))
    const flags = ['--home', folder, '--genesis', genesis, '--engine', 'none']
    running = await openChain(loadConfig({ flags, env: {} }).config, createLogger('silent'))
  })
  afterAll(async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    const answer = await callApi(method, params, { chain: running.chain })
    if (!(answer instanceof RpcError)) return { result: answer }
    const { code, message, data } = answer
    return { error: { code, message, ...(data === undefined ? {} : { data: data as string }) } }
  }
  const ours = async (index: number): Promise<Answer> => {
    const { method, params } = calls[index] as RandomCall
    return send(method, params)
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
    own.error.message === shortened(geth.error.message)

  test('on the same genesis block', async () => {
    const { result } = await send('eth_getBlockByNumber', ['0x0', false])
    expect((result as { hash: string }).hash).toBe(known.genesisHash)
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

  test('eth_estimateGas: never more than geth, and less only by its tolerance', async () => {
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

  test('eth_createAccessList: lists and gas are the same', async () => {
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
            (mine.error ?? '') === shortened(theirs.error ?? '')
      if (!isRight) differences.push({ index, own, geth, call: calls[index] })
    }
    report('eth_createAccessList', differences)
  })
})
