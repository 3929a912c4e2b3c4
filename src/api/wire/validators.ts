import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, dataText } from './data.ts'
import { uint64Text } from './quantity.ts'

const validator = z
  .object({
    pubkey: dataText.describe('Ed25519: 32 bytes'),
    cometbftAddress: addressText.describe('Under which CometBFT names it'),
    power: uint64Text,
    reward: addressText
      .nullable()
      .describe('Receives the tips of its blocks, as the chain has it; null where it has none'),
  })
  .meta({ id: 'Validator', title: 'validator' })

export const Validators = plainType(
  z
    .array(validator)
    .meta({ title: 'validators', description: 'By power, the highest first, then by address' }),
)
