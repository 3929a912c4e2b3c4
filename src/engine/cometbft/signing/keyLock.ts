import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { homeInUse } from '../../../base/exit.ts'
import { errorCode } from '../../../base/files/writeAll.ts'
import { type EngineKey, validatorAddress } from './keys.ts'

/** How many names there are: who saw one of them can take that one, and does not know the others. */
const names = 4
const challengeBytes = 32
/** How long a holder has for its proof, which is one hash: a machine may be busy. */
const defaultProofMs = 10_000
/** Those that are answered at a time: anybody can ask, and a node that starts asks once. */
const maxConnections = 32

type Release = () => Promise<void>
type Answer = 'proven' | 'wrong' | 'silent'

/**
 * Takes the key of a validator for this process: two homes with one key do not run on one computer. The lock is a name of the
 * kernel's, which ends with the process however that ends; only Linux has such names. Everybody may take any name, so that it is
 * made from the private key, and whoever holds it must prove that it has that key. Returns the function that releases it.
 */
export const lockValidatorKey = async (key: EngineKey, proofMs = defaultProofMs): Promise<Release> => {
  if (process.platform !== 'linux') return async () => {}
  const address = validatorAddress(key.publicKey)
  const all = allNames(key)
  let release: Release | undefined
  try {
    let own: string | undefined
    for (const name of all) {
      release = await take(name, key, proofMs)
      own = name
      if (release !== undefined) break
    }
    // Each of two that start at once has its name before it looks for the other's: perhaps none of them starts, never both.
    const answers = await Promise.all(
      all.map((name) => (release !== undefined && name === own ? undefined : challenge(name, key, proofMs))),
    )
    if (answers.includes('proven')) throw homeInUse(describeOther(address))
    if (release === undefined || answers.includes('silent')) throw homeInUse(describeStranger(address))
    return release
  } catch (error) {
    await release?.()
    throw error
  }
}

/** Throws if another process of this computer has the key. Unlike the lock it takes nothing, so that a start beside it goes on. */
export const assertKeyUnused = async (key: EngineKey, proofMs = defaultProofMs): Promise<void> => {
  if (process.platform !== 'linux') return
  const answers = await Promise.all(allNames(key).map((name) => challenge(name, key, proofMs)))
  const address = validatorAddress(key.publicKey)
  if (answers.includes('proven')) throw homeInUse(describeOther(address))
  if (answers.includes('silent') || !answers.includes(undefined)) throw homeInUse(describeStranger(address))
}

const allNames = (key: EngineKey): readonly string[] =>
  Array.from({ length: names }, (_, index) => `\0perihelion-validator-${nameOf(key, index)}`)

const hash = ({ privateKey }: EngineKey, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', privateKey)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const nameOf = (key: EngineKey, index: number): string =>
  hash(key, `perihelion validator lock ${index}`).subarray(0, 20).toString('hex')

const proofOf = (key: EngineKey, asked: Uint8Array): Buffer =>
  hash(key, 'perihelion validator lock proof ', asked)

/**
 * Listens at a name, and proves to who asks that this process has the key. Returns the function that gives the name back;
 * undefined if somebody has it.
 */
const take = async (name: string, key: EngineKey, proofMs: number): Promise<Release | undefined> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    limitTime(socket, proofMs)
    void readBytes(socket, challengeBytes).then((asked) => {
      if (asked !== undefined) socket.end(proofOf(key, asked))
      // Both halves, once what was said is written.
      socket.destroySoon()
    })
  })
  server.maxConnections = maxConnections
  // A connection that cannot be accepted gets no proof, and the name stays taken: that is no reason to end.
  server.on('error', () => {})
  // Nobody waits for its end.
  server.unref()
  server.listen(name)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error
    return undefined
  }
  return async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

/** Asks who holds a name for its proof; undefined if nobody holds it. */
const challenge = async (name: string, key: EngineKey, proofMs: number): Promise<Answer | undefined> => {
  const socket = connect(name)
  limitTime(socket, proofMs)
  try {
    await once(socket, 'connect')
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED' ? undefined : 'silent'
  }
  const asked = randomBytes(challengeBytes)
  const wanted = proofOf(key, asked)
  socket.write(asked)
  const answer = await readBytes(socket, wanted.length)
  socket.destroy()
  // A node that has no file descriptor left hangs up as well: only a wrong proof tells a stranger.
  if (answer === undefined) return 'silent'
  return timingSafeEqual(answer, wanted) ? 'proven' : 'wrong'
}

/** Ends a connection after a time, whatever comes until then: a timeout of the socket begins again with every byte. */
const limitTime = (socket: Socket, ms: number): void => {
  const timer = setTimeout(() => socket.destroy(new Error(`not done within ${ms} ms`)), ms)
  timer.unref()
  socket.on('error', () => {})
  socket.on('close', () => clearTimeout(timer))
}

/** Returns the first bytes that come, and reads no more; undefined if the connection ends before. */
const readBytes = (socket: Socket, length: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const add = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length < length) return
      socket.off('data', add)
      socket.pause()
      resolve(bytes.subarray(0, length))
    }
    socket.on('data', add)
    socket.on('close', () => resolve(undefined))
  })

const describeOther = (address: string): string =>
  `another process of this computer signs with the key of this validator (${address}): its home is a copy of this one, or this one is ` +
  'a copy of its. One key must never sign twice: stop the other one first'

const describeStranger = (address: string): string =>
  `another process of this computer holds the lock of this validator's key (${address}) and does not prove that it has the key: a node with ` +
  'this key that hangs, or a stranger who is in the way. `ss -xlp | grep perihelion-validator` as root names it: end it first'
