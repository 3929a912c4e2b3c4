import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, hashText } from './data.ts'
import { uint64Text } from './quantity.ts'

const scheduledFork = z
  .object({
    name: z.string().describe('As in a genesis file, without `Time` or `Block`'),
    at: uint64Text.describe('The block, or the time in seconds since 1970, from which its rules hold'),
    by: z.enum(['block', 'time']),
    known: z.boolean().describe('Whether this version has its rules; otherwise it stops before the fork'),
    version: z.string().nullable().describe('The first version that knows it, where the chain says so'),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why it cannot be applied to this chain and has no effect: it should be cancelled; null if it can',
      ),
  })
  .meta({ id: 'ScheduledFork', title: 'scheduledFork' })

const refusedTransaction = z
  .object({
    hash: hashText,
    from: addressText,
    nonce: uint64Text,
    reason: z.string(),
    givenUp: z.boolean().describe('Whether it has left the pool; until then it is sent again'),
  })
  .meta({ id: 'RefusedTransaction', title: 'refusedTransaction' })

const toldLie = z
  .object({
    time: uint64Text.describe('When it was found, in seconds since 1970'),
    kind: z.string(),
    block: uint64Text,
    problem: z.string(),
  })
  .meta({ id: 'ToldLie', title: 'toldLie' })

export const Status = plainType(
  z
    .object({
      mode: z.enum(['embedded', 'cometbft', 'none', 'gateway']),
      height: uint64Text.describe('Of the newest block'),
      time: uint64Text.describe('Of the newest block, in seconds since 1970'),
      lag: z
        .object({
          blocks: uint64Text.nullable().describe('Known of and not here yet; null where nobody can tell'),
          seconds: uint64Text.describe('Since the time of the newest block'),
        })
        .describe('How far this node is behind'),
      fork: z.string().describe('The rules of the newest block'),
      forks: z.array(scheduledFork).describe('Those that are ahead or have no effect, in their order'),
      versions: z.object({
        perihelion: z.string(),
        node: z.string(),
        engine: z
          .string()
          .nullable()
          .describe('Of CometBFT; null if there is none, or if it does not respond'),
      }),
      modified: z
        .boolean()
        .describe(
          "Whether dev methods changed the chain, so that not all of it follows from Ethereum's rules",
        ),
      refused: z
        .array(refusedTransaction)
        .describe('Transactions that a gateway acknowledged and that its chain rejects; the last 256'),
      verified: z
        .boolean()
        .nullable()
        .describe(
          "Whether a gateway proves each header by the signatures of its chain's validators; null for a chain that is executed here",
        ),
      verifiedState: z
        .boolean()
        .nullable()
        .describe(
          'Whether a gateway proves balances, nonces, code and storage by the headers of its chain; null for a chain that is executed here',
        ),
      stateProblem: z
        .string()
        .nullable()
        .describe('Why a gateway recently could not prove a value of a state; null if there is no problem'),
      lies: z
        .array(toldLie)
        .describe("What nodes of a gateway's chain said that is proven wrong, the newest last; the last 20"),
    })
    .meta({ id: 'Status', title: 'status' }),
)
