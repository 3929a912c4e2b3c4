import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ApiContext } from '../../../src/api/context.ts'
import { hasMoreJsonValuesInText } from '../../../src/base/json/jsonTokens.ts'
import { maxValues } from '../../../src/rpc/dispatch/bodyLimits.ts'
import { defineMethod, param } from '../../../src/rpc/method.ts'
import { RawJson } from '../../../src/rpc/rawJson.ts'
import { inputType, plainType } from '../../../src/rpc/wireType.ts'
import type { Service } from '../../../src/service/start/startService.ts'
import { postJson, sendIpc, sendWs } from '../../support/clients.ts'
import { startTestService } from '../../support/service.ts'
import { slow, testSome } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { fuzzFlags, runInProcess } from './inProcess.ts'
import { keptCases } from './kept.ts'
import { runOverWire } from './wire.ts'

/** Requests that nobody would send; `npm run long -- fuzzRequests` is the long form. */

const seed = 2026

test('requests within the process are answered, and none with an internal error', slow, async () => {
  const { problems } = await runInProcess({ seed, count: 2_000, seconds: 0 })
  expect(problems).toEqual([])
})

test('bodies over every transport are answered, and none with an internal error', async () => {
  const { problems } = await runOverWire({ seed, count: 500, seconds: 0 })
  expect(problems).toEqual([])
})

describe('cases that were found', () => {
  let home: string
  let service: Service
  beforeAll(async () => {
    home = temporaryHome()
    service = await startTestService(home, { flags: [...fuzzFlags, '--json-rpc.max-body-size=16MB'] })
  })
  afterAll(async () => {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const codeOf = (text: string): number | undefined =>
    (JSON.parse(text) as { readonly error?: { readonly code: number } }).error?.code

  for (const { name, method, params, codes } of keptCases) {
    test(`${name} (${method})`, async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const { http = '', ws = '' } = service.urls()
      const answers = [
        await postJson(http, body),
        await sendWs(ws, body),
        await sendIpc(join(home, 'perihelion.ipc'), body),
      ]
      // What holds too many values is refused before its method is known.
      const wanted = hasMoreJsonValuesInText(body, maxValues) ? [-32005] : codes
      for (const answer of answers) {
        expect(wanted).toContain(codeOf(answer))
        expect(answer.length).toBeLessThan(2_000)
      }
      const connection = service.connect(() => {})
      await expect(connection.request(method, params)).rejects.toMatchObject({
        code: expect.toSatisfy((code: number) => wanted.includes(code)) as number,
      })
      connection.close()
    })
  }
})

/** What the suite has to see: methods that fail where no method may. */
describe('a planted method', () => {
  const method = defineMethod<ApiContext>()
  const any = plainType(z.unknown())
  const common = { summary: 'Planted.', access: 'public', examples: [] } as const
  const value = param('value', any, 'Anything.')
  const result = { name: 'result', type: any }

  testSome(2, [
    [
      'throws while its arguments are decoded',
      method({
        ...common,
        name: 'planted_decode',
        params: [
          param(
            'value',
            inputType(
              z.unknown().transform((): never => {
                throw new RangeError('Maximum call stack size exceeded')
              }),
            ),
            'Anything.',
          ),
        ],
        result,
        handler: () => true,
      }),
      /internal error/,
    ],
    [
      'throws while its result is encoded',
      method({
        ...common,
        name: 'planted_encode',
        params: [value],
        result: { name: 'result', type: inputType(z.unknown()) },
        handler: () => true,
      }),
      /internal error/,
    ],
    [
      'answers what is not JSON',
      method({
        ...common,
        name: 'planted_raw',
        params: [value],
        result,
        handler: () => new RawJson(Buffer.from('{')),
      }),
      /thrown: SyntaxError/,
    ],
  ])('that %s is found', async (_, planted, problem) => {
    const { problems } = await runInProcess({ seed, count: 20, seconds: 0 }, [planted])
    expect(problems[0]).toMatch(problem)
  })
})
