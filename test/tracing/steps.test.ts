import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { boxInitCode, invalidData, revertData, storeData } from '../support/boxContract.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { temporaryHome } from '../support/testServer.ts'

interface Step {
  readonly step: number
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: readonly string[]
}

interface Piece {
  readonly steps: readonly Step[]
  readonly total: number
  readonly failed: boolean
  readonly marks: readonly { readonly kind: string; readonly step: number; readonly depth: number }[]
}

describe('perihelion_traceSteps', () => {
  const home = temporaryHome()
  let service: Service
  let client: RpcClient
  let from: string
  let box: string

  const send = async (transaction: object): Promise<string> =>
    client.call<string>('eth_sendTransaction', { from, gas: '0x100000', ...transaction })

  beforeAll(async () => {
    service = await startTestService(home)
    client = createRpcClient(service.urls().http ?? '')
    ;[from] = (await client.call<[string]>('eth_accounts')) as [string]
    const hash = await send({ data: boxInitCode })
    const receipt = await client.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    box = receipt.contractAddress
  })
  afterAll(async () => {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const piecesOf = async (hash: string, count: number): Promise<readonly Piece[]> => {
    const pieces: Piece[] = []
    do pieces.push(await client.call<Piece>('perihelion_traceSteps', hash, pieces.length * count, count))
    while (pieces.length * count < (pieces[0] as Piece).total)
    return pieces
  }

  test('a trace with other rules leaves nothing for this one', async () => {
    const [asked, other] = [
      await send({ data: revertData('0x12'), to: box }),
      await send({ data: revertData('0x12'), to: box }),
    ]
    const options = { tracer: 'stepTracer', tracerConfig: { from: 0, count: 1 } }
    const withOtherRules = await client.call<Piece>('debug_traceTransaction', asked, {
      ...options,
      // Without PUSH0, which the contract has.
      overrides: {
        shanghaiTime: 4_000_000_000,
        cancunTime: 4_000_000_000,
        pragueTime: 4_000_000_000,
        osakaTime: 4_000_000_000,
      },
    })
    const [own, expected] = [await piecesOf(asked, 256), await piecesOf(other, 256)]
    expect(own).toEqual(expected)
    expect(withOtherRules.total).not.toBe(own[0]?.total)
  })

  test.each([
    ['a write', storeData(7n), 'store'],
    ['a revert', revertData('0x1234'), 'fail'],
    ['an invalid instruction', invalidData, 'fail'],
  ])('%s: pieces are the steps of the opcode log, and name the place', async (_, data, kind) => {
    const hash = await send({ to: box, data })
    const { structLogs } = await client.call<{ structLogs: readonly Step[] }>('debug_traceTransaction', hash)
    const pieces = await piecesOf(hash, 5)
    const steps = pieces.flatMap((piece) => piece.steps)
    expect(steps.map(({ step }) => step)).toEqual(structLogs.map((_, index) => index))
    const shown = ({ pc, op, gas, gasCost, depth, stack }: Step) => ({ pc, op, gas, gasCost, depth, stack })
    expect(steps.map(shown)).toEqual(structLogs.map(shown))
    for (const { total, failed, marks } of pieces) {
      expect(total).toBe(structLogs.length)
      expect(failed).toBe(kind === 'fail')
      expect(marks[0]).toEqual({ kind: 'enter', step: 0, depth: 1 })
      expect(marks.some((mark) => mark.kind === kind)).toBe(true)
    }
  })

  test('past the end there are no steps', async () => {
    const hash = await send({ to: box, data: storeData(8n) })
    const { steps, total } = await client.call<Piece>('perihelion_traceSteps', hash, 1_000_000, 10)
    expect(steps).toEqual([])
    expect(total).toBeGreaterThan(5)
  })

  test.each([
    [0, 257],
    [0, 0],
    [-1, 10],
    [0.5, 10],
  ])('from %s, %s steps is refused', async (first, count) => {
    const { error } = await client.send('perihelion_traceSteps', [`0x${'00'.repeat(32)}`, first, count])
    expect(error?.code).toBe(-32602)
  })
})
