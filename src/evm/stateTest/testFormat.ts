import { z } from 'zod'

/**
 * The members of the GeneralStateTests of ethereum/tests and of the state tests of execution-spec-tests that
 * are used.
 */

const text = z.string()

const account = z.object({
  balance: text,
  nonce: text,
  code: text,
  storage: z.record(text, text),
})

const accessList = z.array(z.object({ address: text, storageKeys: z.array(text) }))

const authorization = z.object({
  chainId: text,
  address: text,
  nonce: text,
  v: text.optional(),
  yParity: text.optional(),
  r: text,
  s: text,
})

const transaction = z.object({
  data: z.array(text),
  gasLimit: z.array(text),
  value: z.array(text),
  nonce: text,
  to: text,
  sender: text.optional(),
  secretKey: text.optional(),
  gasPrice: text.optional(),
  maxFeePerGas: text.optional(),
  maxPriorityFeePerGas: text.optional(),
  accessLists: z.array(accessList.nullish()).optional(),
  maxFeePerBlobGas: text.optional(),
  blobVersionedHashes: z.array(text).optional(),
  authorizationList: z.array(authorization).optional(),
})

const environment = z.object({
  currentCoinbase: text,
  currentGasLimit: text,
  currentNumber: text,
  currentTimestamp: text,
  currentDifficulty: text.optional(),
  currentRandom: text.optional(),
  currentBaseFee: text.optional(),
  currentExcessBlobGas: text.optional(),
})

const expectation = z.object({
  hash: text,
  logs: text,
  indexes: z.object({ data: z.number(), gas: z.number(), value: z.number() }),
  txbytes: text.optional(),
  expectException: text.optional(),
})

const blobSchedule = z.record(text, z.object({ target: text, max: text, baseFeeUpdateFraction: text }))

const stateTest = z.object({
  env: environment,
  pre: z.record(text, account),
  transaction,
  post: z.record(text, z.array(expectation)),
  config: z.object({ chainid: text.optional(), blobSchedule: blobSchedule.optional() }).optional(),
})

export const stateTestFile = z.record(text, stateTest)

export type StateTest = z.infer<typeof stateTest>
export type Expectation = z.infer<typeof expectation>
export type TransactionTemplate = z.infer<typeof transaction>
export type Environment = z.infer<typeof environment>
