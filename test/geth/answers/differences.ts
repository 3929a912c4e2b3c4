import type { RpcResponse } from '../../support/rpc/rpcClient.ts'
import type { Question } from './question.ts'
import type { KnownAnswer } from './recording.ts'

/**
 * Where our answers are not geth's, by name, each with the reason. `docs/coming-from.md` lists them; `answers.test.ts` fails for a
 * difference that none of them describes, and for one that is none any more. The first that holds counts.
 */

interface Answers {
  readonly question: Question
  readonly geth: KnownAnswer
  readonly own: RpcResponse
}

export interface Difference {
  readonly name: string
  /** What is behind it, in the words of the documentation. */
  readonly reason: string
  readonly holds: (answers: Answers) => boolean
}

const codes = ({ geth, own }: Answers): readonly [number | undefined, number | undefined] => [
  geth.error?.code,
  own.error?.code,
]
const isOneOf = (question: Question, ...methods: readonly string[]): boolean =>
  methods.includes(question.method)
/** Both answered, and not the same. */
const areResults = ({ geth, own }: Answers): boolean => geth.error === undefined && own.error === undefined
const sent = ({ params }: Question): string => JSON.stringify(params)
const says = (answer: RpcResponse, text: string): boolean => answer.error?.message.includes(text) === true
/** The error of a value that was sent: what it says came. */
const refuses = ({ own }: Answers, ...values: readonly string[]): boolean =>
  own.error?.code === -32602 && values.some((value) => own.error?.message.endsWith(`, got ${value}`))
/** What geth kept of its old tracers. */
const oldTracers = /"(callTracerLegacy|prestateTracerLegacy)"/

const ofParameters: readonly Difference[] = [
  {
    name: 'words of invalid parameters',
    reason: 'the code is the same; ours say which parameter, what came and what is wanted',
    holds: (answers) => codes(answers).every((code) => code === -32602),
  },
  {
    name: 'numbers and bytes that are not written as specified',
    reason: 'QUANTITY and DATA are strict here: geth takes 0X, no prefix, and "" as zero',
    holds: (answers) =>
      answers.geth.error?.code !== -32601 &&
      (refuses(answers, '"0X1"', '""', '"10"', '"5"', '"05"', '"0x01"', '"x"', 'null') ||
        (answers.own.error?.code === -32602 && / got "(0XF39|0x0{62})/.test(answers.own.error.message))),
  },
  {
    name: 'members that geth does not read',
    reason: '`type` of a call is a QUANTITY here, whatever it says; geth passes over it',
    holds: (answers) => sent(answers.question).includes('"type"') && answers.own.error?.code === -32602,
  },
  {
    name: 'counts below zero',
    reason: 'they are rejected; geth takes them for zero or an index',
    holds: (answers) => refuses(answers, '-1'),
  },
  {
    name: 'both state and stateDiff',
    reason:
      'rejected as parameters that contradict each other (-32602), in geth when they are applied (-32000)',
    holds: (answers) => answers.own.error?.message.includes('expected state or stateDiff, not both') === true,
  },
  {
    name: 'durations',
    reason: 'a wrong timeout is a wrong parameter (-32602), in geth an error of the trace (-32000)',
    holds: (answers) => answers.own.error?.message.includes('expected a duration') === true,
  },
  {
    name: 'parameters that geth requires or that must be texts there',
    reason: 'heights as numbers and as texts, block hashes, and missing parameters are taken in more places',
    holds: ({ geth, own, question }) =>
      geth.error?.code === -32602 &&
      own.error?.code !== -32602 &&
      !isOneOf(question, 'debug_standardTraceBadBlockToFile'),
  },
]

const ofBlocks: readonly Difference[] = [
  {
    name: 'safe and finalized',
    reason: 'blocks are final, so that they are the latest one; geth has none without a beacon node',
    holds: ({ question, geth }) =>
      /"(safe|finalized)"/.test(sent(question)) &&
      (says(geth, 'block not found') || says(geth, 'not found') || says(geth, 'block #-')),
  },
  {
    name: 'earliest in dumps',
    reason: 'geth looks for a block with the number that stands for the tag',
    holds: ({ geth }) => says(geth, 'block #-5 not found'),
  },
  {
    name: 'the words for a block that is not there',
    reason: '`header not found` for state by number and by hash, where geth has several texts',
    holds: (answers) =>
      codes(answers).every((code) => code === -32000) &&
      (says(answers.own, 'header not found') ||
        says(answers.own, 'block not found') ||
        says(answers.own, 'has no parent')) &&
      (says(answers.geth, 'not found') || says(answers.geth, 'has no parent')),
  },
  {
    name: 'raw blocks of an unknown hash',
    reason: '`0x` and null, as of an unknown number; geth fails or has an empty list for a hash',
    holds: ({ question }) =>
      isOneOf(question, 'debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts') &&
      sent(question).includes('dead'),
  },
  {
    name: 'transactions without a sender',
    reason: '`from` is required (-32602); geth looks for other members first',
    holds: (answers) =>
      isOneOf(answers.question, 'eth_sendTransaction', 'eth_signTransaction') && refuses(answers, 'nothing'),
  },
  {
    name: 'debug_printBlock',
    reason: 'JSON for people; geth prints the memory of its structure',
    holds: ({ question, own }) => isOneOf(question, 'debug_printBlock') && own.error === undefined,
  },
]

const ofState: readonly Difference[] = [
  {
    name: 'accounts of the genesis in dumps',
    reason:
      'every address is known here; geth leaves out those whose address it does not have, or shows their hash',
    holds: (answers) =>
      isOneOf(answers.question, 'debug_dumpBlock', 'debug_accountRange') && areResults(answers),
  },
  {
    name: 'debug_storageRangeAt with a limit of 0',
    reason: 'as many as there may be; geth gives none',
    holds: ({ question }) => isOneOf(question, 'debug_storageRangeAt') && question.params[4] === 0,
  },
  {
    name: 'debug_getModifiedAccounts*',
    reason: 'sorted by address; geth sorts by hash. The genesis block and unknown ones have other words',
    holds: ({ question }) => question.method.startsWith('debug_getModifiedAccounts'),
  },
  {
    name: 'debug_executionWitness',
    reason: 'the form of other clients (state, codes, keys, headers); errors have the words of traces',
    holds: ({ question }) => isOneOf(question, 'debug_executionWitness'),
  },
]

const ofExecution: readonly Difference[] = [
  {
    name: 'estimates',
    reason: 'the least gas that works; geth stops within 1.5 per cent of it',
    holds: (answers) =>
      isOneOf(answers.question, 'eth_estimateGas') &&
      areResults(answers) &&
      Number(answers.own.result) <= Number(answers.geth.result) &&
      Number(answers.own.result) >= Number(answers.geth.result) * 0.985,
  },
  {
    name: 'eth_fillTransaction',
    reason: 'the gas is the exact estimate; the transaction has the members of one that waits',
    holds: (answers) => isOneOf(answers.question, 'eth_fillTransaction') && areResults(answers),
  },
  {
    name: 'access lists of what cannot be',
    reason: 'the error does not name the hash of a transaction that nobody signed, and is what eth_call says',
    holds: ({ question, geth, own }) =>
      isOneOf(question, 'eth_createAccessList') &&
      says(geth, 'failed to apply transaction: 0x') &&
      says(own, 'failed to apply transaction: err: '),
  },
  {
    name: 'fees of access lists',
    reason: 'fees are those of eth_call; here alone geth wants some, and none beside authorizations',
    holds: ({ question, geth }) =>
      isOneOf(question, 'eth_createAccessList') &&
      (says(geth, 'must be non-zero') || says(geth, 'both gasPrice and authorizationList specified')),
  },
  {
    name: 'moved precompiles in access lists',
    reason: 'an override may move one, as in eth_call; geth knows none here',
    holds: ({ question, geth }) =>
      isOneOf(question, 'eth_createAccessList') && says(geth, 'is not a precompile'),
  },
  {
    name: 'blobs that offer no fee',
    reason: 'who cannot pay for them has no balance in a simulation; in geth it has nearly 2^256 wei',
    holds: (answers) =>
      isOneOf(answers.question, 'eth_simulateV1') &&
      areResults(answers) &&
      sent(answers.question).includes('blobVersionedHashes'),
  },
]

const ofTraces: readonly Difference[] = [
  {
    name: 'callTracerLegacy and prestateTracerLegacy',
    reason:
      'geth’s own tracers of before 2022, with their mistakes: callTracer and prestateTracer took their place',
    holds: ({ question }) => oldTracers.test(sent(question)),
  },
  {
    name: 'tracers of a block that cannot be begun',
    reason: 'one error; geth says it of each transaction',
    holds: ({ question, geth, own }) =>
      isOneOf(question, 'debug_traceBlockByNumber') && geth.error === undefined && own.error?.code === -32000,
  },
  {
    name: 'words of traces that fail',
    reason: 'the codes are the same; another engine runs scripts, and RLP is read by another decoder',
    holds: (answers) =>
      answers.question.method.startsWith('debug_trace') &&
      codes(answers).every((code) => code === -32000) &&
      ['SyntaxError', 'ReferenceError', 'json: cannot unmarshal', 'could not decode block'].some((text) =>
        says(answers.geth, text),
      ),
  },
]

const ofNode: readonly Difference[] = [
  {
    name: 'methods that are not there',
    reason: 'the message says whether the namespace is off',
    holds: (answers) => codes(answers).every((code) => code === -32601),
  },
  {
    name: 'methods that geth has no more',
    reason: 'the specification of this program has them',
    holds: ({ geth, own }) => geth.error?.code === -32601 && own.error?.code !== -32601,
  },
  {
    name: 'private methods',
    reason: 'what reads or writes files needs a token',
    holds: ({ own }) => own.error?.code === 4100,
  },
  {
    name: 'eth_feeHistory of no blocks',
    reason: 'lists are empty; geth leaves them out',
    holds: (answers) => isOneOf(answers.question, 'eth_feeHistory') && areResults(answers),
  },
  {
    name: 'words about transactions that cannot be read',
    reason: 'each library has its own',
    holds: (answers) =>
      isOneOf(answers.question, 'eth_sendRawTransaction', 'eth_sendRawTransactionSync') &&
      codes(answers).every((code) => code === -32000),
  },
  {
    name: 'the program itself',
    reason: 'its name, its namespaces, its peers and what it keeps',
    holds: (answers) =>
      isOneOf(answers.question, 'web3_clientVersion', 'rpc_modules', 'net_peerCount', 'eth_capabilities') &&
      areResults(answers),
  },
]

export const allKnownDifferences: readonly Difference[] = [
  ...ofParameters,
  ...ofBlocks,
  ...ofState,
  ...ofExecution,
  ...ofTraces,
  ...ofNode,
]
