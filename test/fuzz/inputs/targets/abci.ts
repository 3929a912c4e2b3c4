import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { equalBytes } from '../../../../src/base/encoding/bytes.ts'
import { createLogger } from '../../../../src/base/logging/log.ts'
import { encodeAbciFrame, FrameError, FrameReader } from '../../../../src/engine/cometbft/abci/frames.ts'
import {
  RequestSchema,
  ResponseSchema,
} from '../../../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import {
  type AbciHandler,
  decodeRequest,
  encodeFailure,
  isOverfullProposal,
} from '../../../../src/engine/cometbft/abci/messages.ts'
import { AbciServer } from '../../../../src/engine/cometbft/abci/server.ts'
import { createRandom } from '../../../support/random.ts'
import { assertSo, type InputTarget, refusedBy, taken } from '../target.ts'

type RequestInit = NonNullable<MessageInitShape<typeof RequestSchema>['value']>

const transactions = [new Uint8Array(200).fill(1), new Uint8Array(), new Uint8Array(20).fill(2)]
const requests: readonly RequestInit[] = [
  { case: 'echo', value: { message: 'hello' } },
  { case: 'flush', value: {} },
  { case: 'info', value: { version: '0.38.26' } },
  {
    case: 'query',
    value: { path: '/perihelion.v1.Query/Proof', data: new Uint8Array(64).fill(9), height: 5n },
  },
  { case: 'checkTx', value: { tx: new Uint8Array(150).fill(7) } },
  { case: 'processProposal', value: { txs: transactions, height: 9n } },
  { case: 'prepareProposal', value: { txs: transactions, height: 9n, maxTxBytes: 1000n } },
  { case: 'finalizeBlock', value: { txs: transactions, height: 9n } },
  { case: 'commit', value: {} },
  { case: 'offerSnapshot', value: { snapshot: { height: 3n, format: 1, chunks: 2 } } },
  { case: 'applySnapshotChunk', value: { index: 1, chunk: new Uint8Array(90).fill(4) } },
]
const encode = (value: RequestInit): Uint8Array => toBinary(RequestSchema, create(RequestSchema, { value }))

const words = [
  Uint8Array.of(0x0a, 0x00),
  Uint8Array.of(0x8a, 0x01, 0x00),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f),
  Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x01),
  new Uint8Array(5000).fill(0x0a),
  encodeAbciFrame(encode({ case: 'echo', value: { message: 'x' } })),
]

/** Everything that a reader of frames says of a stream: its messages, and why it ended. */
const readAll = (pieces: readonly Uint8Array[]): { messages: Uint8Array[]; refused: string | undefined } => {
  const reader = new FrameReader()
  const messages: Uint8Array[] = []
  const read = refusedBy(
    (error) => error instanceof FrameError,
    () => {
      for (const piece of pieces) for (const message of reader.push(piece)) messages.push(message.slice())
    },
  )
  return { messages, refused: 'refused' in read ? read.refused : undefined }
}

/** Returns the same bytes in pieces. */
const split = (input: Uint8Array): Uint8Array[] => {
  const random = createRandom(input.length)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < input.length; ) {
    const end = Math.min(input.length, at + 1 + random.below(random.chance(0.5) ? 4 : 5000))
    pieces.push(input.subarray(at, end))
    at = end
  }
  return pieces
}

/** The messages of a stream that are decoded; a stream of empty ones has very many. */
const maxMessages = 50

/** Streams of frames, which are read the same in whatever pieces they come, and the requests in them. */
export const abciFrames = (): InputTarget => ({
  name: 'ABCI frames',
  seeds: [
    ...requests.map((request) => encodeAbciFrame(encode(request))),
    Buffer.concat(requests.map((request) => encodeAbciFrame(encode(request)))),
  ],
  words,
  deepReason: /bytes are read|is over the|has no end/,
  read: (input) => {
    const whole = readAll([input])
    const inPieces = readAll(split(input))
    assertSo(whole.refused === inPieces.refused, 'pieces make a difference')
    assertSo(whole.messages.length === inPieces.messages.length, 'pieces make a difference')
    for (const [index, message] of whole.messages.slice(0, maxMessages).entries()) {
      assertSo(equalBytes(message, inPieces.messages[index] as Uint8Array), 'pieces make a difference')
      isOverfullProposal(message)
      // What cannot be decoded is answered, and the answer can be.
      try {
        decodeRequest(message)
      } catch (error) {
        fromBinary(ResponseSchema, encodeFailure(message, String(error)))
      }
    }
    return whole.refused === undefined ? taken : { refused: whole.refused }
  },
})

const handler = new Proxy({} as AbciHandler, {
  get: (_, call) => {
    if (call === 'query') return ({ path }: { readonly path: string }) => ({ log: path })
    return () => ({})
  },
})

/** The server for the engine, over a socket: it answers every frame or closes, and serves the next connection. */
export const abciServer = (): InputTarget => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-abci-'))
  const path = join(folder, 'abci.sock')
  const server = new AbciServer({ handler, log: createLogger('silent') })
  const listening = server.listen({ kind: 'unix', path })
  const last = encodeAbciFrame(encode({ case: 'echo', value: { message: 'the last one' } }))
  return {
    name: 'ABCI server',
    seeds: abciFrames().seeds,
    words,
    deepReason: /closed/,
    read: async (input) => {
      await listening
      const socket = createConnection(path)
      socket.on('error', () => {})
      const reader = new FrameReader()
      let isLastAnswered = false
      socket.on('data', (piece: Buffer) => {
        for (const message of reader.push(piece)) {
          const { value } = fromBinary(ResponseSchema, message)
          if (value.case === 'echo' && value.value.message === 'the last one') isLastAnswered = true
        }
        if (isLastAnswered) socket.destroy()
      })
      // Not `once`, which an error rejects: a reset is one of the two things that may happen.
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(input)
      socket.end(last)
      await closed
      // A frame that is cut off takes the last one for its rest, and waits for more.
      return isLastAnswered ? taken : { refused: 'closed' }
    },
    close: async () => {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
