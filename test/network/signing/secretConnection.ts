import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Socket } from 'node:net'
import { blob, Fields, join, nested } from '../../gateway/replay/wire.ts'
import { delimited, splitMessage } from './delimited.ts'
import { Transcript } from './merlin.ts'

/**
 * The client's side of CometBFT's SecretConnection: keys for the connection by X25519, frames of 1024 bytes under ChaCha20-Poly1305, and
 * an Ed25519 signature of each side over what both have said.
 */

const maxData = 1024
const frameBytes = 4 + maxData
const tagBytes = 16
const sealedBytes = frameBytes + tagBytes

const rawKey = (key: KeyObject): Buffer => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url')

const publicKey = (crv: 'X25519' | 'Ed25519', bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv, x: Buffer.from(bytes).toString('base64url') }, format: 'jwk' })

/** A key with the nonce of its next frame. */
class FrameKey {
  readonly #key: Uint8Array
  #count = 0n

  constructor(key: Uint8Array) {
    this.#key = key
  }

  seal(data: Uint8Array): Buffer {
    const frame = Buffer.alloc(frameBytes)
    frame.writeUInt32LE(data.length)
    frame.set(data, 4)
    const cipher = createCipheriv('chacha20-poly1305', this.#key, this.#nonce(), { authTagLength: tagBytes })
    return Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()])
  }

  open(sealed: Uint8Array): Buffer {
    const cipher = createDecipheriv('chacha20-poly1305', this.#key, this.#nonce(), {
      authTagLength: tagBytes,
    })
    cipher.setAuthTag(sealed.subarray(frameBytes))
    const frame = Buffer.concat([cipher.update(sealed.subarray(0, frameBytes)), cipher.final()])
    return frame.subarray(4, 4 + frame.readUInt32LE())
  }

  #nonce(): Buffer {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64LE(this.#count++, 4)
    return nonce
  }
}

export class SecretConnection {
  readonly #socket: Socket
  readonly #identity: KeyObject
  readonly #ephemeral = generateKeyPairSync('x25519')
  readonly #receive: (data: Buffer) => void
  #buffered: Buffer = Buffer.alloc(0)
  #plain: Buffer = Buffer.alloc(0)
  #keys:
    | { readonly sending: FrameKey; readonly receiving: FrameKey; readonly challenge: Uint8Array }
    | undefined
  /** Whether the other side has proven who it is; what it sends before that is its proof. */
  isAuthenticated = false

  /** Takes a connection and the key to prove oneself with; `receive` gets what comes, decrypted. */
  constructor(socket: Socket, identity: KeyObject, receive: (data: Buffer) => void) {
    this.#socket = socket
    this.#identity = identity
    this.#receive = receive
    socket.on('data', (chunk) => {
      try {
        this.#take(chunk)
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
    socket.write(delimited(blob(1, rawKey(this.#ephemeral.publicKey))))
  }

  write(data: Uint8Array): void {
    for (let at = 0; at < data.length; at += maxData)
      this.#socket.write(this.#keys?.sending.seal(data.subarray(at, at + maxData)) ?? '')
  }

  #take(chunk: Buffer): void {
    this.#buffered = Buffer.concat([this.#buffered, chunk])
    if (this.#keys === undefined) {
      const [message, rest] = splitMessage(this.#buffered)
      if (message === undefined) return
      this.#buffered = Buffer.from(rest)
      this.#agree(new Fields(message).bytes(1))
    }
    while (this.#buffered.length >= sealedBytes) {
      const data = this.#keys?.receiving.open(this.#buffered.subarray(0, sealedBytes)) ?? Buffer.alloc(0)
      this.#buffered = this.#buffered.subarray(sealedBytes)
      if (this.isAuthenticated) this.#receive(data)
      else this.#authenticate(data)
    }
  }

  /** Derives the keys of both directions, and proves who this is. */
  #agree(theirs: Uint8Array): void {
    const ours = rawKey(this.#ephemeral.publicKey)
    const isLower = Buffer.compare(ours, theirs) < 0
    const secret = diffieHellman({
      privateKey: this.#ephemeral.privateKey,
      publicKey: publicKey('X25519', theirs),
    })
    const transcript = new Transcript('TENDERMINT_SECRET_CONNECTION_TRANSCRIPT_HASH')
    transcript.append('EPHEMERAL_LOWER_PUBLIC_KEY', isLower ? ours : theirs)
    transcript.append('EPHEMERAL_UPPER_PUBLIC_KEY', isLower ? theirs : ours)
    transcript.append('DH_SECRET', secret)
    const info = 'TENDERMINT_SECRET_CONNECTION_KEY_AND_CHALLENGE_GEN'
    const derived = Buffer.from(hkdfSync('sha256', secret, '', info, 96))
    const [first, second] = [new FrameKey(derived.subarray(0, 32)), new FrameKey(derived.subarray(32, 64))]
    const challenge = transcript.challenge('SECRET_CONNECTION_MAC', 32)
    this.#keys = {
      ...(isLower ? { receiving: first, sending: second } : { receiving: second, sending: first }),
      challenge,
    }
    const proof = join(
      nested(1, blob(1, rawKey(this.#identity))),
      blob(2, sign(null, challenge, this.#identity)),
    )
    this.write(delimited(proof))
  }

  #authenticate(data: Buffer): void {
    this.#plain = Buffer.concat([this.#plain, data])
    const [message, rest] = splitMessage(this.#plain)
    if (message === undefined) return
    const proof = new Fields(message)
    const key = publicKey('Ed25519', new Fields(proof.bytes(1)).bytes(1))
    if (!verify(null, this.#keys?.challenge ?? Buffer.alloc(0), key, proof.bytes(2)))
      throw new Error('the other side did not prove who it is')
    this.isAuthenticated = true
    if (rest.length > 0) this.#receive(Buffer.from(rest))
  }
}
