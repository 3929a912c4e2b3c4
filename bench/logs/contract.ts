import { Assembler } from '../../test/support/evm/assembler.ts'

export const transferTopic = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn

export const logsPerCall = 100

/** Makes 100 Transfer logs, to the addresses after the first word of its calldata; and one log of the second word. */
const runtime = (): Uint8Array => {
  const code = new Assembler()
  const loop = code.newLabel()
  const plain = code.newLabel()
  code.push(BigInt(logsPerCall)).place(loop).op(0x5b)
  // data: how many are left; topics: the event, the sender, the recipient
  code.op(0x80).push(0n, 1).op(0x52)
  code.op(0x80).push(0n, 1).op(0x35, 0x01, 0x33).push(transferTopic, 32).push(32n).push(0n, 1).op(0xa3)
  code.push(1n).op(0x90, 0x03, 0x80).pushLabel(loop).op(0x57)
  code.push(33n).op(0x36, 0x10).pushLabel(plain).op(0x57)
  code.push(32n).op(0x35).push(0n, 1).op(0x80, 0xa1)
  return code.place(plain).op(0x5b, 0x00).assemble()
}

export const deployment = (): string => {
  const code = Buffer.from(runtime()).toString('hex')
  return `0x61${(code.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code}`
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

/** Recipients of the calls are apart from each other. */
export const transfers = (call: number, rare?: bigint): string =>
  `0x${word(BigInt(call) * 1_000n)}${rare === undefined ? '' : word(rare)}`
