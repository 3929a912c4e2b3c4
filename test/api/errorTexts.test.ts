import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { createOpenRpcDocument } from '../../src/rpc/openrpc.ts'
import type { Service } from '../../src/service/start/startService.ts'
import { sendIpc } from '../support/clients.ts'
import { SchemaValues } from '../support/rpc/schemaValues.ts'
import { startTestService } from '../support/service.ts'
import { testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Whatever a caller sends, an error repeats only a part of it. */

const document = createOpenRpcDocument(methods, '1.0.0')
const values = new SchemaValues(document)

const length = 20_000
const longTexts = ['x'.repeat(length), `0x${'1'.repeat(length)}`]
/** What an error may take: a message of 1,000 characters with its escapes, its code and its data. */
const maxErrorLength = 4_000

/** Returns arguments with one long text each: in the place of a parameter, and of each member that is a text. */
const longArguments = (schema: (typeof document.methods)[number]['params'][number]['schema']): unknown[] => {
  const objects = values.choices(schema).filter(({ type }) => type === 'object')
  const members = objects.flatMap((object) =>
    Object.entries((object.properties ?? {}) as Record<string, typeof schema>)
      .filter(([, member]) => values.choices(member).some(({ type }) => type === 'string'))
      .map(([name]) => name),
  )
  return longTexts.flatMap((text) => [text, ...members.map((name) => ({ [name]: text })), { [text]: 1 }])
}

describe('the texts of errors', () => {
  const home = temporaryHome()
  let service: Service

  beforeAll(async () => {
    service = await startTestService(home, { flags: ['--lightkdf'] })
  })
  afterAll(async () => {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const namespaces = [...new Set(document.methods.map(({ name }) => name.split('_')[0] ?? ''))]

  // The namespaces with most methods take longest.
  const isLarge = (namespace: string): boolean =>
    document.methods.filter(({ name }) => name.startsWith(`${namespace}_`)).length > 20
  const [small, large] = [namespaces.filter((each) => !isLarge(each)), namespaces.filter(isLarge)]

  testSome(small.length, [...small, ...large])(
    'of %s_ repeat only a part of what was sent',
    async (namespace) => {
      const tooLong: string[] = []
      for (const { name, params } of document.methods) {
        if (!name.startsWith(`${namespace}_`)) continue
        for (const position of params.keys()) {
          for (const argument of longArguments(params[position]?.schema ?? {})) {
            const args = params
              .slice(0, position + 1)
              .map(({ schema }, at) => (at === position ? argument : values.sample(schema)))
            const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: args })
            const { error } = JSON.parse(await sendIpc(join(home, 'perihelion.ipc'), body)) as {
              error?: unknown
            }
            const text = JSON.stringify(error ?? '')
            if (text.length > maxErrorLength) tooLong.push(`${name} ${position}: ${text.slice(0, 200)}`)
          }
        }
      }
      expect(tooLong).toEqual([])
    },
  )
})
