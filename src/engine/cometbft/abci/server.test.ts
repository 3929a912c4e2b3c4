import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../base/log.ts'
import { encodeAbciFrame, FrameReader } from './frames.ts'
import { RequestSchema, ResponseSchema } from './gen/perihelion/abci/v1/abci_pb.ts'
import type { AbciHandler } from './messages.ts'
import { AbciServer } from './server.ts'

describe('queries of an engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-abci-'))
  const path = join(folder, 'abci.sock')
  const asked: string[] = []
  let release: () => void = () => {}
  let server: AbciServer
  let sockets: Socket[] = []

  beforeEach(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const query: AbciHandler['query'] = async ({ path: of }) => {
      asked.push(of)
      if (of === 'slow') await held
      return { log: of }
    }
    const info: AbciHandler['info'] = () => ({ data: 'info' })
    server = new AbciServer({ handler: { query, info } as AbciHandler, log: createLogger('silent') })
    await server.listen({ kind: 'unix', path })
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const connect = async () => {
    const socket = createConnection(path)
    sockets.push(socket)
    await once(socket, 'connect')
    const reader = new FrameReader()
    const answers: string[] = []
    socket.on('data', (piece: Buffer) => {
      for (const message of reader.push(piece)) {
        const { value } = fromBinary(ResponseSchema, message)
        answers.push(value.case === 'query' ? value.value.log : String(value.case))
      }
    })
    const ask = (of: string): void => {
      const request = create(
        RequestSchema,
        of === 'info'
          ? { value: { case: 'info', value: {} } }
          : { value: { case: 'query', value: { path: of } } },
      )
      socket.write(encodeAbciFrame(toBinary(RequestSchema, request)))
    }
    return { ask, answers }
  }

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  test('run beside each other, are answered in order, and hold up no other connection', async () => {
    const queries = await connect()
    const consensus = await connect()
    queries.ask('slow')
    queries.ask('quick')
    await until(() => asked.includes('quick'))
    consensus.ask('info')
    await until(() => consensus.answers.length === 1)
    expect(queries.answers).toEqual([])
    release()
    await until(() => queries.answers.length === 2)
    expect(queries.answers).toEqual(['slow', 'quick'])
  })
})
