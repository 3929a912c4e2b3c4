import { singlePrice, suggestFees } from '../fees.ts'
import { method } from '../method.ts'
import { Quantity } from '../wire/quantity.ts'

export const feeMethods = [
  method({
    name: 'eth_gasPrice',
    summary: 'Suggests a price per unit of gas, in wei, at which a transaction is likely in the next block.',
    access: 'public',
    params: [],
    result: { name: 'price', type: Quantity },
    examples: [{ name: '1.875 gwei', params: [], result: '0x6fc23ac0' }],
    handler: async (_, { chain }) => singlePrice(await suggestFees(chain)),
  }),
  method({
    name: 'eth_maxPriorityFeePerGas',
    summary: 'Suggests a tip per unit of gas, in wei, with which a transaction is likely in the next block.',
    access: 'public',
    params: [],
    result: { name: 'tip', type: Quantity },
    examples: [{ name: '1 gwei', params: [], result: '0x3b9aca00' }],
    handler: (_, { chain }) => chain.network.suggestTip(),
  }),
]
