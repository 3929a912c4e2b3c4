import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { maxBlockEntries } from '../../../app/proposal/rules.ts'
import { createLogger } from '../../../base/logging/log.ts'
import { encodeAbciFrame, FrameReader } from './frames.ts'
import { RequestSchema, ResponseSchema } from './gen/perihelion/abci/v1/abci_pb.ts'
import { type AbciHandler, proposalStatus } from './messages.ts'
import { AbciServer, maxTurnMs } from './server.ts'

describe('queries of an engine', () => {
  let folder: string
  let path: string
  const asked: string[] = []
  let handshakes: number
  let release: () => void = () => {}
  let server: AbciServer
  let sockets: Socket[] = []

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-abci-'))
    path = join(folder, 'abci.sock')
    handshakes = 0
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const query: AbciHandler['query'] = async ({ path: of }) => {
      asked.push(of)
      if (of === 'slow') await held
      return { log: of }
    }
    const info: AbciHandler['info'] = () => ({ data: 'info' })
    const processProposal: AbciHandler['processProposal'] = ({ txs }) => {
      asked.push(`proposal of ${txs.length}`)
      return { status: proposalStatus.accepted }
    }
    // Each of these checks takes a turn of its own.
    const checkTx: AbciHandler['checkTx'] = () => {
      const until = performance.now() + 2 * maxTurnMs
      while (performance.now() < until);
      return { code: 0 }
    }
    server = new AbciServer({
      handler: { query, info, processProposal, checkTx } as AbciHandler,
      log: createLogger('silent'),
      onHandshake: () => handshakes++,
    })
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
        const text = value.case === 'processProposal' ? `status ${value.value.status}` : String(value.case)
        answers.push(value.case === 'query' ? value.value.log : text)
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
    const propose = (entries: number): void => {
      const txs = Array<Uint8Array>(entries).fill(new Uint8Array(0))
      const request = create(RequestSchema, { value: { case: 'processProposal', value: { txs } } })
      socket.write(encodeAbciFrame(toBinary(RequestSchema, request)))
    }
    return { socket, ask, propose, answers }
  }

  test('run beside each other, are answered in order, and hold up no other connection', async () => {
    const queries = await connect()
    const consensus = await connect()
    queries.ask('slow')
    queries.ask('quick')
    await eventually(() => asked.includes('quick'))
    consensus.ask('info')
    await eventually(() => consensus.answers.length === 1)
    expect(queries.answers).toEqual([])
    release()
    await eventually(() => queries.answers.length === 2)
    expect(queries.answers).toEqual(['slow', 'quick'])
  })

  test('are answered also if the peer has ended its side of the connection', async () => {
    const { socket, ask, answers } = await connect()
    const later = await connect()
    ask('slow')
    ask('the last one')
    const closed = once(socket, 'close')
    socket.end()
    await eventually(() => asked.includes('the last one'))
    later.ask('later')
    await eventually(() => later.answers.length === 1)
    release()
    await closed
    expect(answers).toEqual(['slow', 'the last one'])
  })

  test.each([1, 10])('are all answered if the peer ends its side behind %i slow ones', async (count) => {
    const { socket, answers } = await connect()
    const closed = once(socket, 'close')
    const checkTx = encodeAbciFrame(Uint8Array.from([0x42, 0x02, 0x0a, 0x00]))
    socket.end(Buffer.concat(Array(count).fill(checkTx)))
    await closed
    expect(answers).toEqual(Array(count).fill('checkTx'))
  })

  test('one that cannot be decoded is answered with a code: an exception would end the engine', async () => {
    const { socket, answers } = await connect()
    // A path that is not UTF-8, which CometBFT passes on as it came.
    socket.write(encodeAbciFrame(Uint8Array.of(0x32, 3, 0x12, 1, 0xff)))
    // A transaction whose length is more than there is.
    socket.write(encodeAbciFrame(Uint8Array.of(0x42, 3, 0x0a, 9, 1)))
    await eventually(() => answers.length === 2)
    expect(answers).toEqual([expect.stringContaining('utf-8'), 'checkTx'])
  })

  test('the first request of a connection about the application is that of an engine that starts', async () => {
    const first = await connect()
    for (let count = 0; count < 3; count++) first.ask('info')
    await eventually(() => first.answers.length === 3)
    expect(handshakes).toBe(1)
    const second = await connect()
    second.ask('quick')
    second.ask('info')
    await eventually(() => second.answers.length === 2)
    expect(handshakes).toBe(2)
  })

  test('zero bytes close the connection, at the first of them', async () => {
    const { socket, answers } = await connect()
    // The rest of them is unread, so that the system says reset.
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(Buffer.alloc(100_000))
    await closed
    expect(answers).toEqual([])
  })

  // A call of two bytes that no ABCI has, one of three that the server answers itself, and one that is not protobuf.
  test.each([
    ['unknown', [0xf8, 0x07, 0x00]],
    ['flush', [0x12, 0]],
    ['broken', [0x0a, 0x05]],
  ])('a flood of tiny calls (%s) is answered whole, and leaves turns to others', async (_, call) => {
    const count = 20_000
    const { socket, answers } = await connect()
    const others = await connect()
    others.ask('quick')
    await eventually(() => others.answers.length === 1)
    socket.write(Buffer.concat(Array(count).fill(encodeAbciFrame(Uint8Array.from(call)))))
    await eventually(() => answers.length > 0)
    // The other connection is answered before the flood is over.
    others.ask('quick')
    await eventually(() => others.answers.length === 2)
    expect(answers.length).toBeLessThan(count)
    await eventually(() => answers.length === count)
  })

  test('those of a peer that does not read wait unread, and are answered when it does', async () => {
    const { socket, ask, answers } = await connect()
    const [count, long] = [48, 'x'.repeat(2 ** 20)]
    const before = asked.length
    socket.pause()
    for (let at = 0; at < count; at++) ask(long)
    let last = -1
    while (last !== asked.length) {
      last = asked.length
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(asked.length - before).toBeLessThan(count / 2)
    socket.resume()
    await eventually(() => answers.length === count)
  })

  test('a proposal of millions of empty entries is rejected before it is decoded', async () => {
    const consensus = await connect()
    consensus.propose(maxBlockEntries)
    await eventually(() => consensus.answers.length === 1)
    consensus.propose(maxBlockEntries + 100_000)
    await eventually(() => consensus.answers.length === 2)
    expect(consensus.answers).toEqual(['status 1', 'status 2'])
    expect(asked.filter((of) => of.startsWith('proposal'))).toEqual([`proposal of ${maxBlockEntries}`])
  })
})
