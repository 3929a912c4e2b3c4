import { method } from '../method.ts'
import { notYet } from '../unsupported.ts'
import { Quantity } from '../wire/quantity.ts'

export const feeMethods = [
  method({
    name: 'eth_gasPrice',
    summary: 'Suggests a price per unit of gas, in wei, at which a transaction is likely in the next block.',
    access: 'public',
    params: [],
    result: { name: 'price', type: Quantity },
    examples: [{ name: '1.875 gwei', params: [], result: '0x6fc23ac0' }],
    handler: notYet,
  }),
]
