import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, hashText } from './data.ts'

/** geth's snapshot. There are no votes on signers here, so that votes and tally are empty. */
export const Snapshot = plainType(
  z.object({
    number: z.int(),
    hash: hashText,
    signers: z.record(addressText, z.object({})).describe('The validators, as the names of members'),
    recents: z.record(z.string(), addressText).describe('Who proposed the last blocks, by their heights'),
    votes: z.array(z.never()),
    tally: z.record(z.string(), z.never()),
  }),
)

export const Status = plainType(
  z.object({
    inturnPercent: z.number().describe('How many of the blocks came from the validator whose turn it was'),
    sealerActivity: z.record(addressText, z.int()).describe('How many blocks each validator proposed'),
    numBlocks: z.int(),
  }),
)
