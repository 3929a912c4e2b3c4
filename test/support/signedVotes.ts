import { createPrivateKey, sign } from 'node:crypto'
import { ProtoWriter } from '../../src/base/encoding/protobuf/protoWriter.ts'
import { type EngineKey, validatorAddress } from '../../src/engine/cometbft/signing/keys.ts'

/** What CometBFT leaves on the disk of what a key has signed. */

const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
const precommit = 2
const step = 3

/** Returns the record of signatures of a key that has signed a block. What was signed is any bytes here. */
export const recordOf = ({ privateKey }: EngineKey, height: number): object => {
  const der = Buffer.concat([pkcs8Head, privateKey.subarray(0, 32)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const bytes = Buffer.from(`block ${height}`)
  return {
    ...{ height: `${height}`, round: 0, step },
    ...{ signature: sign(null, bytes, key).toString('base64'), signbytes: bytes.toString('hex') },
  }
}

/** Returns a log of consensus with the precommits of a key, by default its own ones of the first round. */
export const voteLogOf = (key: EngineKey, heights: readonly number[], peer = '', round = 0): Uint8Array =>
  Buffer.concat(heights.map((height) => framed(loggedVote(key, { height, round, peer }))))

/** Returns a log with a proposal, which does not say whose it is. */
export const proposalLogOf = (height: number): Uint8Array =>
  framed(
    writer.write((fields) => {
      for (const number of [2, 2, 1, 3, 1]) fields.begin(number)
      fields.integer(2, height)
      for (let depth = 0; depth < 5; depth++) fields.end()
    }),
  )

const framed = (message: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(message.length, 4)
  return Buffer.concat([head, message])
}

const writer = new ProtoWriter()

const loggedVote = (
  { publicKey }: EngineKey,
  { height, round, peer }: { readonly height: number; readonly round: number; readonly peer: string },
): Uint8Array =>
  writer.write((fields) => {
    fields.begin(2)
    fields.begin(2)
    fields.begin(1)
    fields.begin(6)
    fields.begin(1)
    fields.integer(1, precommit)
    fields.integer(2, height)
    fields.integer(3, round)
    fields.bytes(6, Buffer.from(validatorAddress(publicKey), 'hex'))
    fields.end()
    fields.end()
    fields.end()
    fields.bytes(2, Buffer.from(peer))
    fields.end()
    fields.end()
  })
