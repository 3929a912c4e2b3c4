import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOptions } from '../../test/support/nodeOptions.ts'
import { slow } from '../../test/support/slow.ts'
import { concatBytes } from '../base/encoding/bytes.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { createLogger } from '../base/logging/log.ts'
import { ChainError } from '../chain/chainError.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { CallRequest } from '../chain/port/executor.ts'
import type { AccountOverride } from '../chain/state/overrides.ts'
import { type Node, startNode } from '../node/node.ts'

const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const rich = new Uint8Array(20).fill(0xa1)
const target = new Uint8Array(20).fill(0x77)
const never = new AbortController().signal

/** Code at the target. */
const withCode = (hex: string, more: Partial<AccountOverride> = {}): readonly AccountOverride[] => [
  { address: target, code: fromHex(`0x${hex}`), ...more },
]
/** Returns the top of the stack. */
const answer = '5f5260205ff3'
const endless = '5b5f56'
/** Counts down from 200,000: some 10,000,000 gas, then returns 7. */
const longCall = `62030d405b6001900380600457506007${answer}`

describe('calls on a node', () => {
  let folder: string
  let node: Node

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-executor-'))
    node = await startNode(
      nodeOptions(folder, [{ address: rich, balance: 10n ** 20n }]),
      createLogger('silent'),
    )
  })
  afterAll(async () => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const call = (question: CallRequest, signal = never) => node.chain.executor.call(question, latest, signal)
  const refusalOf = async (act: () => unknown): Promise<string> => {
    try {
      await act()
    } catch (error) {
      if (error instanceof ChainError) return `${error.kind}: ${error.message}`
      throw error
    }
    return 'none'
  }

  test('little gas is used at once, much gas on a worker, with the same answer', async () => {
    const short = call({ request: { to: target }, stateOverrides: withCode(`6007${answer}`) })
    expect(short).not.toBeInstanceOf(Promise)
    const long = call({ request: { to: target }, stateOverrides: withCode(longCall) })
    expect(long).toBeInstanceOf(Promise)
    const [quick, slow] = await Promise.all([short, long])
    expect(toHex(quick.output)).toBe(toHex(slow.output))
    expect(slow.gasUsed).toBeGreaterThan(1_000_000n)
  })

  test('an estimate is the least gas that succeeds', async () => {
    const { executor } = node.chain
    // A call to itself that must succeed, with all gas, which keeps a 64th back: peak gas is not enough.
    const nested = '366013575f5f60015f5f305af16013575f5ffd5b00'
    for (const code of [`6007${answer}`, nested, '60016000556000600055', '5a50']) {
      const stateOverrides = withCode(code)
      const { gas = 0n } = await executor.estimateGas(
        { request: { to: target }, stateOverrides },
        latest,
        never,
      )
      const ends = async (limit: bigint) =>
        (await call({ request: { to: target, gas: limit }, stateOverrides })).isSuccess
      expect(await ends(gas)).toBe(true)
      if (gas > 21_000n) expect(await ends(gas - 1n)).toBe(false)
    }
  })

  test('an estimate leaves enough for calls whose failure is not looked at', async () => {
    // The same call to itself, which stores something; with little gas only the inner call fails.
    const stateOverrides = withCode('36600e575f5f60015f5f305af1005b60075f5500')
    const request = { to: target }
    const { gas = 0n } = await node.chain.executor.estimateGas({ request, stateOverrides }, latest, never)
    const { gasUsed } = await call({ request, stateOverrides })
    expect(gas).toBeGreaterThanOrEqual(gasUsed)
    expect((await call({ request: { ...request, gas: gas - 10_000n }, stateOverrides })).isSuccess).toBe(true)
  })

  test('overrides: balance, nonce, code, state and moved precompiles', async () => {
    const slot = new Uint8Array(32)
    const value = new Uint8Array(32).fill(9)
    const output = async (hex: string, more: Partial<AccountOverride> = {}): Promise<string> =>
      toHex((await call({ request: { to: target }, stateOverrides: withCode(hex, more) })).output)
    expect(await output(`47${answer}`, { balance: 5n })).toBe(`0x${'00'.repeat(31)}05`)
    expect(await output(`5f54${answer}`, { state: concatBytes(slot, value) })).toBe(toHex(value))
    const identity = new Uint8Array(20)
    identity[19] = 4
    const moved = [{ address: identity, movePrecompileToAddress: target }]
    const data = Uint8Array.of(1, 2, 3)
    expect((await call({ request: { to: target, data }, stateOverrides: moved })).output).toEqual(data)
    expect((await call({ request: { to: identity, data }, stateOverrides: moved })).output).toHaveLength(0)
    expect(
      await refusalOf(() =>
        call({ request: {}, stateOverrides: [{ address: rich, movePrecompileToAddress: target }] }),
      ),
    ).toMatch(/is not a precompile/)
  })

  test('block overrides are what the code sees, and a price is checked against them', async () => {
    const seen = async (op: string, blockOverrides: CallRequest['blockOverrides']): Promise<bigint> => {
      const stateOverrides = withCode(`${op}${answer}`)
      const request = { from: rich, to: target, gasPrice: 10n ** 10n, gas: 100_000n }
      return BigInt(toHex((await call({ request, stateOverrides, blockOverrides })).output))
    }
    expect(await seen('43', { number: 77n })).toBe(77n)
    expect(await seen('42', { time: 99n })).toBe(99n)
    expect(await seen('48', { baseFeePerGas: 3n })).toBe(3n)
    expect(await seen('4a', { blobBaseFee: 8n })).toBe(8n)
    expect(await seen('45', { gasLimit: 1_000_000n })).toBe(1_000_000n)
    expect(await refusalOf(() => seen('43', { baseFeePerGas: 10n ** 11n }))).toMatch(
      /less than block base fee/,
    )
    expect(await refusalOf(() => seen('43', { withdrawals: [] }))).toMatch(/"withdrawals" is not supported/)
  })

  test('a call past its time is stopped, and its worker stays', slow, async () => {
    const stateOverrides = withCode('5b61ffff5f20505f56')
    expect(await refusalOf(() => call({ request: { to: target }, stateOverrides }))).toMatch(
      /^refused: execution aborted \(timeout = 1s\)/,
    )
    expect(node.workerStats().call).toMatchObject({ workers: 1, busy: 0, waiting: 0, replaced: 0 })
  })

  test(
    'who goes away is not waited for, and too many are rejected by the name of the setting',
    slow,
    async () => {
      const stateOverrides = withCode('5b61ffff5f20505f56')
      const gone = new AbortController()
      const first = refusalOf(() => call({ request: { to: target }, stateOverrides }, gone.signal))
      const second = refusalOf(() => call({ request: { to: target }, stateOverrides: withCode(endless) }))
      const third = refusalOf(() => call({ request: { to: target }, stateOverrides }))
      expect(await third).toMatch(/^limit exceeded: .*json-rpc\.call-queue/)
      const cancelledAt = performance.now()
      gone.abort()
      await first
      expect(performance.now() - cancelledAt).toBeLessThan(900)
      await second
      expect(node.workerStats().call).toMatchObject({ busy: 0, waiting: 0, replaced: 0 })
    },
  )

  test('bundles see what came before them', async () => {
    // With call data it writes slot 0, without it gives it back.
    const counter = `36600c575f54${answer}5b60055f5500`
    const results = await node.chain.executor.callMany(
      [
        { requests: [{ to: target, data: Uint8Array.of(1) }, { to: target }] },
        { requests: [{ to: target }, { from: target, to: rich, value: 1n }] },
      ],
      withCode(counter),
      latest,
      undefined,
      never,
    )
    const outputs = results.map((bundle) =>
      bundle.map((outcome) => (typeof outcome === 'string' ? outcome : toHex(outcome.output))),
    )
    expect(outputs[0]?.[1]).toBe(`0x${'00'.repeat(31)}05`)
    expect(outputs[1]?.[0]).toBe(`0x${'00'.repeat(31)}05`)
    expect(outputs[1]?.[1]).toMatch(/^insufficient funds/)
  })

  test('fees on an idle chain', async () => {
    const { fees } = node.chain
    expect(await fees.suggestTip()).toBe(1_000_000_000n)
    const history = await fees.history(10, latest, [50], never)
    expect(history).toMatchObject({ oldest: 0, gasUsedRatios: [0], rewards: [[0n]] })
    expect(history.baseFees).toEqual([1_000_000_000n, await fees.nextBaseFee()])
    expect(await refusalOf(() => fees.history(1, { kind: 'number', number: 9n }, undefined, never))).toBe(
      'refused: request beyond head block: requested 9, head 0',
    )
  })
})
