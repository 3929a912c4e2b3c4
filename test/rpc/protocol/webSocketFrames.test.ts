import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EchoServer, startEchoServer } from './echoServer.ts'
import { closePayload, encodeFrame, FrameSocket, opcodes } from './frames.ts'

/**
 * The rules of RFC 6455 by single frames, a few of each family of Autobahn's suite, which `npm run long -- autobahn` runs as
 * a whole. An answer is `text …`, `pong …` or `close <code>`; `cut` is the end without a close frame.
 */
let server: EchoServer
beforeAll(async () => {
  server = await startEchoServer(['--json-rpc.max-body-size=200000'])
})
afterAll(() => server.close())

const { continuation, text, binary, close, ping, pong } = opcodes
/** Ends the connection in order, after what a case sends. */
const bye = encodeFrame(close, closePayload(1000))
const utf8 = 'Hello-µ@ßöäüàá-UTF-8!!'
const broken = Buffer.from('cebae1bdb9cf83cebcceb5eda080656469746564', 'hex')

const cases: Readonly<Record<string, readonly [frames: readonly Buffer[], answers: readonly string[]]>> = {
  'an empty text': [
    [encodeFrame(text), bye],
    ['text ', 'close 1000'],
  ],
  'a text of 125 bytes': [
    [encodeFrame(text, '*'.repeat(125)), bye],
    [`text ${'*'.repeat(125)}`, 'close 1000'],
  ],
  'a text of 126 bytes': [
    [encodeFrame(text, '*'.repeat(126)), bye],
    [`text ${'*'.repeat(126)}`, 'close 1000'],
  ],
  'a text of 65,536 bytes': [
    [encodeFrame(text, '*'.repeat(65_536)), bye],
    [`text ${'*'.repeat(65_536)}`, 'close 1000'],
  ],
  'a ping': [
    [encodeFrame(ping, 'payload'), bye],
    ['pong payload', 'close 1000'],
  ],
  'ten pings': [
    [...Array.from({ length: 10 }, (_, at) => encodeFrame(ping, `${at}`)), bye],
    [...Array.from({ length: 10 }, (_, at) => `pong ${at}`), 'close 1000'],
  ],
  'a ping of 126 bytes': [[encodeFrame(ping, 'x'.repeat(126))], ['close 1002']],
  'an unasked pong': [[encodeFrame(pong, 'x'), bye], ['close 1000']],
  'a reserved bit': [[encodeFrame(text, 'x', { reserved: 1 })], ['close 1002']],
  'a reserved bit of compression': [[encodeFrame(text, 'x', { reserved: 4 })], ['close 1002']],
  'a frame without a mask': [[encodeFrame(text, 'x', { isMasked: false })], ['close 1002']],
  'opcode 3': [[encodeFrame(3)], ['close 1002']],
  'opcode 11': [[encodeFrame(11)], ['close 1002']],
  'what comes before a wrong frame is answered': [
    [encodeFrame(text, 'first'), encodeFrame(5), encodeFrame(ping, 'late')],
    ['text first', 'close 1002'],
  ],
  'a text in fragments': [
    [
      encodeFrame(text, 'a', { fin: false }),
      encodeFrame(continuation, 'b', { fin: false }),
      encodeFrame(continuation, 'c'),
      bye,
    ],
    ['text abc', 'close 1000'],
  ],
  'a ping between fragments': [
    [encodeFrame(text, 'a', { fin: false }), encodeFrame(ping, 'p'), encodeFrame(continuation, 'b'), bye],
    ['pong p', 'text ab', 'close 1000'],
  ],
  'a ping in fragments': [
    [encodeFrame(ping, 'p', { fin: false }), encodeFrame(continuation, 'q')],
    ['close 1002'],
  ],
  'a continuation of nothing': [[encodeFrame(continuation, 'a')], ['close 1002']],
  'a text within a text': [[encodeFrame(text, 'a', { fin: false }), encodeFrame(text, 'b')], ['close 1002']],
  'UTF-8': [
    [encodeFrame(text, utf8), bye],
    [`text ${utf8}`, 'close 1000'],
  ],
  'UTF-8 cut between fragments': [
    [
      encodeFrame(text, Buffer.from('ce', 'hex'), { fin: false }),
      encodeFrame(continuation, Buffer.from('ba', 'hex')),
      bye,
    ],
    ['text κ', 'close 1000'],
  ],
  'a surrogate': [[encodeFrame(text, broken)], ['close 1007']],
  'a binary message that is UTF-8': [
    [encodeFrame(binary, utf8), bye],
    [`text ${utf8}`, 'close 1000'],
  ],
  // The server waits for the client to close, too.
  'a binary message that is not': [[encodeFrame(binary, broken), bye], ['close 1007']],
  'what comes after a close': [[bye, encodeFrame(text, 'late'), encodeFrame(ping)], ['close 1000']],
  'a close without a code': [[encodeFrame(close)], ['close ']],
  'a close of one byte': [[encodeFrame(close, 'x')], ['close 1002']],
  'a close with a reason': [[encodeFrame(close, closePayload(1000, utf8))], ['close 1000']],
  'a close with a reason that is not UTF-8': [
    [encodeFrame(close, closePayload(1000, broken))],
    ['close 1007'],
  ],
  'a close of 126 bytes': [[encodeFrame(close, closePayload(1000, 'x'.repeat(124)))], ['close 1002']],
  'a message over the limit': [[encodeFrame(text, 'x'.repeat(200_001))], ['close 1009']],
  ...Object.fromEntries(
    [1001, 1003, 1007, 1011, 3000, 4999].map((code) => [
      `code ${code}`,
      [[encodeFrame(close, closePayload(code))], [`close ${code}`]],
    ]),
  ),
  ...Object.fromEntries(
    [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map((code) => [
      `code ${code}, which nobody may send`,
      [[encodeFrame(close, closePayload(code))], ['close 1002']],
    ]),
  ),
}
const describeAnswer = ({ opcode, payload }: { opcode: number; payload: Buffer }): string => {
  if (opcode === text) return `text ${payload}`
  if (opcode === pong) return `pong ${payload}`
  if (opcode === close) return `close ${payload.length >= 2 ? payload.readUInt16BE(0) : ''}`
  return `opcode ${opcode}`
}

test.each(Object.entries(cases))('%s', async (_, [frames, answers]) => {
  const socket = await FrameSocket.open(server.ws)
  socket.send(...frames)
  expect((await socket.ended()).map(describeAnswer)).toEqual(answers)
})

test('the same in single bytes', async () => {
  for (const name of ['a text in fragments', 'a ping between fragments', 'a surrogate']) {
    const [frames, answers] = cases[name] ?? [[], []]
    const socket = await FrameSocket.open(server.ws)
    for (const byte of Buffer.concat(frames)) socket.send(Buffer.from([byte]))
    expect((await socket.ended()).map(describeAnswer)).toEqual(answers)
  }
})
