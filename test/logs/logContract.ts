import { Assembler } from '../fuzz/assembler.ts'

const op = {
  add: 0x01,
  gt: 0x11,
  eq: 0x14,
  isZero: 0x15,
  shr: 0x1c,
  callDataLoad: 0x35,
  callDataSize: 0x36,
  pop: 0x50,
  mstore: 0x52,
  jump: 0x56,
  jumpI: 0x57,
  jumpDest: 0x5b,
  dup1: 0x80,
  log0: 0xa0,
} as const

/** A log to be made: up to four topics and a word of data, each 64 hex digits. */
export interface WantedLog {
  readonly topics: readonly string[]
  readonly data: string
}

const topicBytes = 32
const maxTopics = 4
const recordBytes = 1 + (maxTopics + 1) * topicBytes

/** Code that makes the logs which its calldata lists: the number of topics, four of them, and the data of each. */
const runtime = (): Uint8Array => {
  const code = new Assembler()
  const loop = code.newLabel()
  const end = code.newLabel()
  const branches = Array.from({ length: maxTopics + 1 }, () => code.newLabel())
  const load = (dup: number, offset: number): Assembler =>
    code
      .op(op.dup1 + dup)
      .push(BigInt(offset), 1)
      .op(op.add, op.callDataLoad)
  code.push(0n, 1).place(loop).op(op.jumpDest)
  code.op(op.dup1, op.callDataSize, op.gt, op.isZero).pushLabel(end).op(op.jumpI)
  load(0, 1 + maxTopics * topicBytes)
    .push(0n, 1)
    .op(op.mstore)
  load(0, 0).push(248n).op(op.shr)
  for (const [topics, branch] of branches.entries())
    code.op(op.dup1).push(BigInt(topics), 1).op(op.eq).pushLabel(branch).op(op.jumpI)
  code.op(0x00)
  for (const [topics, branch] of branches.entries()) {
    code.place(branch).op(op.jumpDest, op.pop)
    for (let topic = topics - 1; topic >= 0; topic--) load(topics - 1 - topic, 1 + topic * topicBytes)
    code
      .push(32n)
      .push(0n, 1)
      .op(op.log0 + topics)
    code.push(BigInt(recordBytes)).op(op.add).pushLabel(loop).op(op.jump)
  }
  return code.place(end).op(op.jumpDest, 0x00).assemble()
}

/** The data of a transaction that creates the contract. */
export const deployment = (): string => {
  const code = Buffer.from(runtime()).toString('hex')
  const length = (code.length / 2).toString(16).padStart(4, '0')
  // push the length, copy the code from behind these ten bytes, return it
  return `0x61${length}80600a5f395ff3${code}`
}

export const calldata = (logs: readonly WantedLog[]): string =>
  `0x${logs
    .map(({ topics, data }) => {
      const padding = '0'.repeat(2 * topicBytes * (maxTopics - topics.length))
      return `0${topics.length}${topics.join('')}${padding}${data}`
    })
    .join('')}`
