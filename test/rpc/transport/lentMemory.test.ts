import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { lendBytes } from '../../../src/base/lentBytes.ts'
import { defineMethod, param } from '../../../src/rpc/method.ts'
import { RawJson } from '../../../src/rpc/rawJson.ts'
import { plainType } from '../../../src/rpc/wireType.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { type TestContext, testMethods } from '../../support/rpc/testMethods.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

const length = 3_900_000
/** So many answers are more than the kernel takes for a client that does not read. */
const unread = 4
const quote = 0x22

/** Answers with one character again and again, in memory that is lent. */
const fill = defineMethod<TestContext>()({
  name: 'test_lent',
  summary: 'For tests.',
  access: 'public',
  result: { name: 'result', type: plainType(z.unknown()) },
  examples: [],
  params: [param('character', plainType(z.string()), 'What the answer is made of.')],
  handler: ([character]) => {
    const bytes = lendBytes(length)
    bytes.fill(character.charCodeAt(0))
    bytes[0] = quote
    bytes[length - 1] = quote
    return new RawJson(bytes)
  },
})

const characters = [...'abcdef']
const countWhole = (text: string, character: string): number =>
  text.split(`"result":"${character.repeat(length - 2)}"}`).length - 1

/** Whether so many answers are there, the last one to its end. */
const hasAll = (text: string, answers: number): boolean =>
  text.length > answers * length && /"\}\s*$/.test(text.slice(-8))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { methods: [...testMethods, fill] })
})
afterAll(() => server.close())

describe.each(['http', 'ipcPath'] as const)('memory that is lent to answers, over %s', (transport) => {
  const encode = (character: string): string => {
    const call = toCallJson('test_lent', [character])
    return transport === 'http' ? httpPost(call) : `${call}\n`
  }

  test('what a client has not read yet is not written to for another', async () => {
    const slow = await Promise.all(characters.map(() => RawSocket.open(server[transport])))
    for (const [index, raw] of slow.entries()) {
      raw.socket.pause()
      raw.send(encode(characters[index] as string).repeat(unread))
    }
    for (const character of [...characters, ...characters]) {
      const raw = await RawSocket.open(server[transport])
      raw.send(encode(character))
      await raw.receive((text) => hasAll(text, 1))
      expect(countWhole(raw.text, character)).toBe(1)
      raw.close()
    }
    for (const [index, raw] of slow.entries()) {
      raw.socket.resume()
      await raw.receive((text) => hasAll(text, unread))
      expect(countWhole(raw.text, characters[index] as string)).toBe(unread)
      raw.close()
    }
  })

  test('answers of one connection that are asked for together', async () => {
    const raw = await RawSocket.open(server[transport])
    raw.send(characters.map(encode).join(''))
    await raw.receive((text) => hasAll(text, characters.length))
    for (const character of characters) expect(countWhole(raw.text, character)).toBe(1)
    raw.close()
  })
})
