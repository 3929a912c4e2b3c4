import { Assembler } from './evm/assembler.ts'
import type { TestNode } from './node.ts'

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

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

/** A log to emit: up to four topics and a word of data, each 64 hex digits. */
export interface WantedLog {
  readonly topics: readonly string[]
  readonly data: string
}

const topicBytes = 32
const maxTopics = 4
const recordBytes = 1 + (maxTopics + 1) * topicBytes

/** Code that emits the logs in its calldata, each as the number of topics, four topics, and the data. */
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

/** Returns the init code for the code: ten bytes that copy what follows them to memory and return it. */
const initCode = (code: string): string =>
  `0x61${(code.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code}`

/** Returns the data of a transaction that creates the contract. */
export const deployment = (): string => initCode(Buffer.from(runtime()).toString('hex'))

/** Returns the data of a call that emits these logs. */
export const calldata = (logs: readonly WantedLog[]): string =>
  `0x${logs
    .map(({ topics, data }) => {
      const padding = '0'.repeat(2 * topicBytes * (maxTopics - topics.length))
      return `0${topics.length}${topics.join('')}${padding}${data}`
    })
    .join('')}`

export const word = (value: number): string => value.toString(16).padStart(64, '0')

/** Code that logs as many zero bytes as its input says, with LOG0 of fresh memory. */
const flood = '6000356000a000'

const deploy = async (node: TestNode, data: string): Promise<string> => {
  const hash = await node.call<string>('eth_sendTransaction', { from: alice, data, gas: '0x30d40' })
  const { contractAddress } = await node.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  return contractAddress
}

/** A contract that logs on request; with instant sealing each call makes a block. */
export const deployEcho = async (node: TestNode) => {
  const address = await deploy(node, deployment())
  return {
    address,
    /** Returns the hash of the transaction. */
    emit: (topic: number, value = 0): Promise<string> =>
      node.call('eth_sendTransaction', {
        from: alice,
        to: address,
        data: calldata([{ topics: [word(topic)], data: word(value) }]),
        gas: '0xc350',
      }),
  }
}

/** A contract that emits logs of any size. */
export const deployFlood = async (node: TestNode) => {
  const address = await deploy(node, initCode(flood))
  return {
    address,
    emit: (bytes: number): Promise<string> =>
      node.call('eth_sendTransaction', {
        from: alice,
        to: address,
        data: `0x${word(bytes)}`,
        gas: '0x989680',
      }),
  }
}
