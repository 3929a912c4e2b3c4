import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { EngineKey } from '../../../src/engine/cometbft/signing/keys.ts'
import { blob, Fields, join, nested, text, uint } from '../../gateway/replay/wire.ts'
import { delimited, splitMessage } from './delimited.ts'
import { SecretConnection } from './secretConnection.ts'

/**
 * A signer outside of the node, as CometBFT's `priv_validator_laddr` wants it: it connects to CometBFT's socket and answers what it is asked.
 * Over a Unix socket the messages are not encrypted, over TCP they are. It never signs less than it has signed.
 */

/** Where CometBFT waits for it: the path of a socket, or a port of this computer. */
type SignerTarget = string | number

/** The members of `tendermint.privval.Message`. */
const kinds = { publicKey: 1, vote: 3, proposal: 5, ping: 7 } as const
const retryMs = 100

/** What was signed: the bytes by height, round and step. */
type Signed = ReadonlyMap<string, string>

const sfixed64 = (field: number, value: bigint): Uint8Array => {
  if (value === 0n) return new Uint8Array(0)
  const bytes = Buffer.alloc(9)
  bytes[0] = (field << 3) | 1
  bytes.writeBigInt64LE(value, 1)
  return bytes
}

/** The id of a block; what stands for no block is left out. */
const blockId = (field: number, bytes: Uint8Array): Uint8Array =>
  new Fields(bytes).bytes(1).length === 0 ? new Uint8Array(0) : nested(field, bytes)

const voteSteps: Readonly<Record<string, bigint>> = { 1: 2n, 2: 3n }

export class RemoteSigner {
  #target: SignerTarget
  readonly #key: KeyObject
  readonly #publicKey: Uint8Array
  readonly #signed = new Map<string, string>()
  #last: Place = [0n, 0n, 0n]
  #lastBeforeMove: Place = [0n, 0n, 0n]
  #socket: Socket | undefined
  #isClosed = false
  /**
   * What it was asked for twice by one run of a node, and did not sign again. A node that is stopped before it has written down
   * a vote asks for it again when it starts: that is refused too, as it should be, and not counted.
   */
  refused = 0
  /** How long it takes for an answer, in milliseconds. */
  delayMs = 0

  constructor(target: SignerTarget, { privateKey, publicKey }: EngineKey) {
    this.#target = target
    this.#publicKey = publicKey
    this.#key = createPrivateKey({
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        d: Buffer.from(privateKey.subarray(0, 32)).toString('base64url'),
        x: Buffer.from(publicKey).toString('base64url'),
      },
      format: 'jwk',
    })
    this.#connect()
  }

  get signed(): Signed {
    return this.#signed
  }

  /** Goes on elsewhere with the same key and the same record. */
  moveTo(target: SignerTarget): void {
    this.#target = target
    this.#lastBeforeMove = this.#last
    this.#socket?.destroy()
  }

  close(): void {
    this.#isClosed = true
    this.#socket?.destroy()
  }

  /** CometBFT makes the socket; until then, and while it is down, there is none. */
  #connect(): void {
    if (this.#isClosed) return
    const target = this.#target
    const socket = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    this.#socket = socket
    let buffered = Buffer.alloc(0)
    const take = (chunk: Buffer, write: (bytes: Uint8Array) => void): void => {
      buffered = Buffer.concat([buffered, chunk])
      for (;;) {
        const [message, rest] = splitMessage(buffered)
        if (message === undefined) return
        buffered = Buffer.from(rest)
        const answer = delimited(this.#answer(new Fields(message)))
        if (this.delayMs === 0) write(answer)
        else setTimeout(() => socket.destroyed || write(answer), this.delayMs)
      }
    }
    if (typeof target === 'string') socket.on('data', (chunk) => take(chunk, (bytes) => socket.write(bytes)))
    else {
      // Any key does: CometBFT does not know whom to expect, and has a new one itself at each start.
      const { privateKey } = generateKeyPairSync('ed25519')
      const secret = new SecretConnection(socket, privateKey, (data) =>
        take(data, (bytes) => secret.write(bytes)),
      )
    }
    socket.on('error', () => {})
    socket.on('close', () => setTimeout(() => this.#connect(), retryMs))
  }

  #answer(message: Fields): Uint8Array {
    if (message.has(kinds.publicKey)) return nested(kinds.publicKey + 1, nested(1, blob(1, this.#publicKey)))
    if (message.has(kinds.ping)) return nested(kinds.ping + 1, new Uint8Array(0))
    const kind = message.has(kinds.vote) ? kinds.vote : kinds.proposal
    const request = new Fields(message.bytes(kind))
    const subject = request.bytes(1)
    const signature = this.#sign(kind, new Fields(subject), request.text(2))
    if (signature === undefined)
      return nested(
        kind + 1,
        join(nested(1, subject), nested(2, join(uint(1, 1), text(2, 'already signed')))),
      )
    return nested(kind + 1, nested(1, join(subject, blob(kind === kinds.vote ? 8 : 7, signature))))
  }

  #sign(kind: 3 | 5, subject: Fields, chain: string): Uint8Array | undefined {
    const step = kind === kinds.proposal ? 1n : (voteSteps[`${subject.uint(1)}`] ?? 0n)
    const place = [subject.uint(2), subject.uint(3), step] as const
    const head = join(uint(1, subject.uint(1)), sfixed64(2, place[0]), sfixed64(3, place[1]))
    const bytes =
      kind === kinds.vote
        ? join(head, blockId(4, subject.bytes(4)), nested(5, subject.bytes(5)), text(6, chain))
        : join(
            ...[head, uint(4, subject.uint(4)), blockId(5, subject.bytes(5)), nested(6, subject.bytes(6))],
            text(7, chain),
          )
    if (!isAfter(place, this.#last)) {
      if (isAfter(place, this.#lastBeforeMove)) this.refused++
      return undefined
    }
    this.#last = place
    this.#signed.set(place.join('/'), Buffer.from(bytes).toString('hex'))
    return sign(null, delimited(bytes), this.#key)
  }
}

type Place = readonly [bigint, bigint, bigint]

const isAfter = (place: Place, last: Place): boolean => {
  for (const [index, value] of place.entries()) {
    const before = last[index] ?? 0n
    if (value !== before) return value > before
  }
  return false
}
