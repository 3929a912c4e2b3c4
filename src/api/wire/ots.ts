import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, dataText, hashText } from './data.ts'
import { quantityText, wholeNumber } from './quantity.ts'

/** The wire types of `ots_`, as Otterscan reads them. */

/** The most transactions of one page. */
export const maxPageSize = 255

export const PageNumber = plainType(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'the number of a page, from 0'))
export const PageSize = plainType(wholeNumber(1, maxPageSize, `a page size from 1 to ${maxPageSize}`))

const operation = z.object({
  type: z.int().describe('0 a transfer, 1 a destruction, 2 CREATE, 3 CREATE2'),
  from: addressText,
  to: addressText,
  value: quantityText,
})

export const InternalOperations = plainType(z.array(operation))

const entry = z.object({
  type: z.string().describe('The instruction, such as CALL'),
  depth: z.int(),
  from: addressText,
  to: addressText,
  value: quantityText.nullable().describe('null for calls that carry none'),
  input: dataText,
  output: dataText,
})

export const OtsTrace = plainType(z.array(entry))

const members = z.record(z.string(), z.unknown())

const details = z
  .object({
    block: members.describe(
      'The block without its transactions and bloom, with transactionCount and totalDifficulty',
    ),
    issuance: z.object({ blockReward: quantityText, uncleReward: quantityText, issuance: quantityText }),
    totalFees: quantityText,
  })
  .meta({ id: 'OtsBlockDetails', title: 'block details' })

export const BlockDetailsOrNull = plainType(details.nullable())

export const BlockPageOrNull = plainType(
  z
    .object({
      fullblock: members.describe(
        'The block with the transactions of the page, their input cut to four bytes',
      ),
      receipts: z.array(members).describe('Their receipts, without logs and bloom'),
    })
    .nullable(),
)

export const FoundTransactions = plainType(
  z.object({
    txs: z.array(members).describe('The newest first'),
    receipts: z.array(members).describe('Their receipts, with the timestamp of the block'),
    firstPage: z.boolean().describe('Whether nothing newer is left'),
    lastPage: z.boolean().describe('Whether nothing older is left'),
    coversCalls: z
      .boolean()
      .describe(
        'Whether what the account only takes part in through calls is found too: index.calls covers the blocks',
      ),
  }),
)

export const ContractCreatorOrNull = plainType(z.object({ hash: hashText, creator: addressText }).nullable())

export const HashOrNull = plainType(hashText.nullable())
