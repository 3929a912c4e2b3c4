import type { TestNode } from './node.ts'

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Logs its input's second word under the first as the topic: LOG1 of CALLDATA. */
const echo = '6020602060003760003560206000a100'
/** Logs as many zero bytes as its input says: LOG0 of fresh memory. */
const flood = '6000356000a000'

const deployment = (runtime: string): string => {
  const length = runtime.length / 2
  const size = length.toString(16).padStart(2, '0')
  // CODECOPY of what follows these 12 bytes, and its return.
  return `0x60${size}600c600039 60${size}6000f3${runtime}`.replaceAll(' ', '')
}

const deploy = async (node: TestNode, runtime: string): Promise<string> => {
  const hash = await node.call<string>('eth_sendTransaction', {
    from: alice,
    data: deployment(runtime),
    gas: '0x30d40',
  })
  const { contractAddress } = await node.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  return contractAddress
}

export const word = (value: number): string => value.toString(16).padStart(64, '0')

/** A contract that logs on request; each call is a block of its own where blocks are made on demand. */
export const deployEcho = async (node: TestNode) => {
  const address = await deploy(node, echo)
  return {
    address,
    /** Gives the hash of the transaction. */
    emit: (topic: number, value = 0): Promise<string> =>
      node.call('eth_sendTransaction', {
        from: alice,
        to: address,
        data: `0x${word(topic)}${word(value)}`,
        gas: '0xc350',
      }),
  }
}

/** A contract whose logs are as large as wanted. */
export const deployFlood = async (node: TestNode) => {
  const address = await deploy(node, flood)
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
