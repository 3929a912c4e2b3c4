import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSecret } from '../../src/rpc/access/secret.ts'
import type { Service } from '../../src/service/start/startService.ts'
import { postJson, sendIpc, sendWs } from '../support/clients.ts'
import { forgeToken } from '../support/rpc/forgeToken.ts'
import { startTestService } from '../support/service.ts'
import { slow, testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { type AnswerClass, expected } from './expected.ts'

type Transport = 'http' | 'ws' | 'ipc'
type Who = 'authorized' | 'local' | 'remote'

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The class of an answer; anything that no method may answer is shown as it is. */
const classOf = ({ result, error }: Answer): AnswerClass | string => {
  if (error === undefined) return result === undefined ? 'nothing' : 'result'
  if (error.code === 4100) return 'unauthorized'
  if (error.code === -32000) return 'failed'
  if (error.code === -32004) return error.message.startsWith('not yet: ') ? 'not yet' : 'unsupported'
  return `${error.code} ${error.message}`
}

/** Every method of the specification, as every caller, through every door of the real service. */
describe('the walk over all methods', () => {
  let home: string
  let service: Service
  let headersOf: Record<Who, Record<string, string>>

  beforeEach(async () => {
    home = temporaryHome()
    service = await startTestService(home, { flags: ['--lightkdf'] })
    headersOf = {
      authorized: { Authorization: `Bearer ${forgeToken({ claims: { iat: 0 }, secret: loadSecret(home) })}` },
      local: {},
      // A request that a proxy passed on comes from elsewhere, whatever the address of the connection.
      remote: { 'X-Forwarded-For': '203.0.113.7' },
    }
  })
  afterEach(async () => {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const send = (transport: Transport, who: Who, body: string): Promise<string> => {
    const { http = '', ws = '' } = service.urls()
    switch (transport) {
      case 'http':
        return postJson(http, body, headersOf[who])
      case 'ws':
        return sendWs(ws, body, { headers: headersOf[who] })
      case 'ipc':
        return sendIpc(join(home, 'perihelion.ipc'), body)
    }
  }

  const callers = [
    ['http', 'authorized'],
    ['http', 'local'],
    ['http', 'remote'],
    ['ws', 'authorized'],
    ['ws', 'local'],
    ['ws', 'remote'],
    ['ipc', 'authorized'],
  ] as const

  // A call that ends the transport on which the next one would come has tests of its own below.
  const lasting = expected.filter(({ stops }) => stops === undefined)
  const ending = expected.filter(({ stops }) => stops !== undefined)
  const request = (id: number): object => {
    const { name, params } = lasting[id] as (typeof lasting)[number]
    return { jsonrpc: '2.0', id, method: name, params }
  }
  const wanted = (transport: Transport, who: Who): string[] =>
    lasting.map((row) => {
      // The dev profile lets whoever may sign with its accounts use it.
      if (row.name === 'personal_sign' && who === 'local') return `${row.name}: result`
      const needsConnection = transport === 'http' && row.finalUnsupported === 'over http'
      return `${row.name}: ${needsConnection ? 'unsupported' : row[who]}`
    })

  testSome(0, callers)('%s, %s, one call at a time', async (transport, who) => {
    const seen: string[] = []
    for (const [id, { name }] of lasting.entries()) {
      const answer = JSON.parse(await send(transport, who, JSON.stringify(request(id)))) as Answer
      expect(answer.id).toBe(id)
      seen.push(`${name}: ${classOf(answer)}`)
    }
    expect(seen).toEqual(wanted(transport, who))
  })

  test.each(callers)('%s, %s, in one batch', slow, async (transport, who) => {
    const body = JSON.stringify(lasting.map((_, id) => request(id)))
    const answers = JSON.parse(await send(transport, who, body)) as Answer[]
    expect(answers.map(({ id }) => id)).toEqual(lasting.map((_, id) => id))
    expect(answers.map((answer, id) => `${lasting[id]?.name}: ${classOf(answer)}`)).toEqual(
      wanted(transport, who),
    )
  })

  const endings = ending.flatMap((row) => callers.map(([transport, who]) => ({ ...row, transport, who })))
  testSome(7, endings)(
    '$name over $transport, $who',
    async ({ name, params, stops, transport, who, ...row }) => {
      for (const isBatch of [false, true]) {
        const call = { jsonrpc: '2.0', id: 1, method: name, params }
        const before = service.urls()
        const text = await send(transport, who, JSON.stringify(isBatch ? [call] : call))
        const answer = [JSON.parse(text)].flat()[0] as Answer
        expect(classOf(answer)).toBe(row[who])
        const isStopped = row[who] === 'result'
        expect(stops !== undefined && stops in service.urls()).toBe(
          !isStopped && stops !== undefined && stops in before,
        )
        // What was stopped is there again for the second round, on a new port.
        if (isStopped && !isBatch) {
          const start = {
            jsonrpc: '2.0',
            id: 2,
            method: stops === 'http' ? 'admin_startRPC' : 'admin_startWS',
            params: [],
          }
          expect(JSON.parse(await send('ipc', 'authorized', JSON.stringify(start)))).toHaveProperty(
            'result',
            true,
          )
        }
      }
    },
  )
})
