import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, bloomText, bytes8Text, dataText, hashText, word32Text } from './data.ts'
import { quantityText, uint64Text } from './quantity.ts'

/**
 * The JSON of results. Blocks, transactions and receipts are stored in this form and copied to responses, so that these
 * types only describe them and convert nothing.
 */

const accessListResult = z.array(z.object({ address: addressText, storageKeys: z.array(word32Text) }))

const authorizationResult = z.object({
  chainId: quantityText,
  address: addressText,
  nonce: uint64Text,
  yParity: quantityText,
  r: quantityText,
  s: quantityText,
})

export const transactionResult = z
  .object({
    blockHash: hashText.nullable().describe('null while pending'),
    blockNumber: uint64Text.nullable().describe('null while pending'),
    blockTimestamp: uint64Text.nullable().optional(),
    transactionIndex: uint64Text.nullable().describe('null while pending'),
    hash: hashText,
    type: uint64Text,
    nonce: uint64Text,
    from: addressText,
    to: addressText.nullable().describe('null for a contract creation'),
    value: quantityText,
    gas: uint64Text,
    gasPrice: quantityText.describe('The price paid, once it is in a block'),
    maxFeePerGas: quantityText.optional(),
    maxPriorityFeePerGas: quantityText.optional(),
    maxFeePerBlobGas: quantityText.optional(),
    input: dataText,
    accessList: accessListResult.optional(),
    blobVersionedHashes: z.array(hashText).optional(),
    authorizationList: z.array(authorizationResult).optional(),
    chainId: quantityText.optional().describe('Missing where the signature names no chain'),
    v: quantityText,
    r: quantityText,
    s: quantityText,
    yParity: quantityText.optional(),
  })
  .meta({ id: 'Transaction', title: 'transaction' })

const withdrawal = z.object({
  index: uint64Text,
  validatorIndex: uint64Text,
  address: addressText,
  amount: uint64Text,
})

const header = {
  number: uint64Text,
  hash: hashText.nullable().describe('null for the pending block'),
  parentHash: hashText,
  nonce: bytes8Text.nullable().describe('null for the pending block'),
  sha3Uncles: hashText,
  logsBloom: bloomText,
  transactionsRoot: hashText,
  stateRoot: hashText,
  receiptsRoot: hashText,
  miner: addressText.nullable().describe('null for the pending block'),
  difficulty: quantityText,
  extraData: dataText,
  gasLimit: uint64Text,
  gasUsed: uint64Text,
  timestamp: uint64Text,
  mixHash: hashText,
  baseFeePerGas: quantityText.optional(),
  withdrawalsRoot: hashText.optional(),
  blobGasUsed: uint64Text.optional(),
  excessBlobGas: uint64Text.optional(),
  parentBeaconBlockRoot: hashText.optional(),
  requestsHash: hashText.optional(),
}

export const block = z
  .object({
    ...header,
    size: uint64Text,
    transactions: z
      .union([z.array(hashText), z.array(transactionResult)])
      .describe('Hashes, or whole transactions where requested'),
    uncles: z.array(hashText),
    withdrawals: z.array(withdrawal).optional(),
  })
  .meta({ id: 'Block', title: 'block' })

const onlyHeader = z.object(header).meta({ id: 'Header', title: 'block header' })

const uncle = z
  .object({ ...header, size: uint64Text, uncles: z.array(hashText) })
  .meta({ id: 'Uncle', title: 'uncle', description: 'A block without its transactions' })

export const log = z
  .object({
    address: addressText,
    topics: z.array(word32Text).max(4),
    data: dataText,
    blockNumber: uint64Text.nullable(),
    blockHash: hashText.nullable(),
    blockTimestamp: uint64Text.nullable().optional(),
    transactionHash: hashText.nullable(),
    transactionIndex: uint64Text.nullable(),
    logIndex: uint64Text.nullable(),
    removed: z.boolean().describe('true where the head moved back behind it'),
  })
  .meta({ id: 'Log', title: 'log' })

const receipt = z
  .object({
    transactionHash: hashText,
    transactionIndex: uint64Text,
    blockHash: hashText,
    blockNumber: uint64Text,
    from: addressText,
    to: addressText.nullable(),
    contractAddress: addressText.nullable().describe('The contract that was created'),
    type: uint64Text,
    status: uint64Text.optional().describe('0x1 success, 0x0 failure; missing before Byzantium'),
    root: hashText.optional().describe('The state after it, before Byzantium'),
    gasUsed: uint64Text,
    cumulativeGasUsed: uint64Text,
    effectiveGasPrice: quantityText,
    blobGasUsed: uint64Text.optional(),
    blobGasPrice: quantityText.optional(),
    logs: z.array(log),
    logsBloom: bloomText,
  })
  .meta({ id: 'Receipt', title: 'receipt' })

const proofNodes = z.array(dataText).describe('The nodes from the root to the leaf')

const proof = z
  .object({
    address: addressText,
    accountProof: proofNodes,
    balance: quantityText,
    codeHash: hashText,
    nonce: uint64Text,
    storageHash: hashText,
    storageProof: z.array(
      z.object({ key: z.union([word32Text, quantityText]), value: quantityText, proof: proofNodes }),
    ),
    proofType: z
      .literal('ics23')
      .optional()
      .describe(
        'Only where a chain behind a gateway keeps no Merkle-Patricia trie: each proof is then ICS-23 CommitmentProofs in ' +
          'protobuf, which lead to the stateRoot of the next block',
      ),
  })
  .meta({ id: 'Proof', title: 'account proof' })

const account = z
  .object({ balance: quantityText, nonce: uint64Text, codeHash: hashText, storageRoot: hashText })
  .meta({ id: 'Account', title: 'account' })

const accountInfo = z
  .object({ balance: quantityText, nonce: uint64Text, code: dataText })
  .meta({ id: 'AccountInfo', title: 'account with its code' })

const storageValues = z
  .record(addressText, z.array(word32Text))
  .meta({ id: 'StorageValues', title: 'storage values', description: 'By address, in the requested order' })

const syncing = z
  .union([
    z.literal(false),
    z.object({ startingBlock: uint64Text, currentBlock: uint64Text, highestBlock: uint64Text }),
  ])
  .meta({ title: 'sync status', description: 'false, or where the node stands while it is behind' })

const encoded = z.object({ raw: dataText, tx: transactionResult })

const signed = encoded.meta({
  title: 'signed transaction',
  description: 'Encoded, ready to be sent, and decoded',
})

const filled = encoded.meta({
  title: 'filled transaction',
  description: 'Encoded and decoded, with a signature of zeros',
})

/** Returns the wire type of a result that is null if nothing was found. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => plainType(z.union([schema, z.null()]))

export const BlockOrNull = orNull(block)
export const HeaderOrNull = orNull(onlyHeader)
export const UncleOrNull = orNull(uncle)
export const TransactionOrNull = orNull(transactionResult)
export const Transactions = plainType(z.array(transactionResult))
export const Receipt = plainType(receipt)
export const ReceiptOrNull = orNull(receipt)
export const ReceiptsOrNull = orNull(z.array(receipt))
export const CountOrNull = orNull(uint64Text)
export const Logs = plainType(z.array(log))
export const Addresses = plainType(z.array(addressText))
export const Proof = plainType(proof)
export const AccountOrNull = orNull(account)
export const AccountInfo = plainType(accountInfo)
export const StorageValues = plainType(storageValues)
export const Syncing = plainType(syncing)
export const SignedTransaction = plainType(signed)
export const FilledTransaction = plainType(filled)
/** The changes since the last poll: hashes of blocks or transactions, or logs. */
export const FilterChanges = plainType(z.union([z.array(hashText), z.array(log), z.array(transactionResult)]))
