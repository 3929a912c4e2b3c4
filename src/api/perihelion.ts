import { toHex, toQuantity } from '../base/encoding/hex.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { NetworkValidator } from '../chain/port/network.ts'
import { callFailed } from '../rpc/errors.ts'
import { optionalParam } from '../rpc/method.ts'
import { coinbase } from './exampleValues.ts'
import { latest } from './lookup.ts'
import { method } from './method.ts'
import { Block } from './wire/block.ts'
import { Validators } from './wire/validators.ts'

/** The methods that no other client has. */
export const perihelionMethods = [
  method({
    name: 'perihelion_validators',
    summary: 'Lists who decides a block: the validators that the engine asks for their votes on it.',
    access: 'public',
    params: [
      optionalParam(
        'block',
        Block,
        'Height, tag or hash of the block; latest when missing, and pending is the next block.',
      ),
    ],
    result: { name: 'validators', type: Validators },
    examples: [
      {
        name: 'a single validator',
        params: ['latest'],
        result: [
          {
            pubkey: '0xea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
            cometbftAddress: '0xfe812c12f3ab4ce6ac5db69ac352f906cb1b11ef',
            power: '0xa',
            reward: coinbase,
          },
        ],
      },
    ],
    handler: async ([ref = latest], { chain }) =>
      (await chain.network.validatorSet(heightOf(chain, ref))).map(toJson),
  }),
]

const heightOf = (chain: Chain, ref: BlockRef): number => {
  const number = chain.blocks.resolve(ref)
  if (number === undefined) throw callFailed('unknown block')
  return number === 'pending' ? chain.head().number + 1 : number
}

const toJson = ({ publicKey, engineAddress, power, reward }: NetworkValidator) => ({
  pubkey: toHex(publicKey),
  cometbftAddress: toHex(engineAddress),
  power: toQuantity(power),
  reward: reward === undefined ? null : toHex(reward),
})
