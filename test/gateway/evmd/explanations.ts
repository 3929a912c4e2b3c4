import type { RecordedNode } from '../chains/recordingFile.ts'
import type { Difference } from './differences.ts'
import {
  cosmosEvm04Explanations,
  ethermintExplanations,
  upgradeExplanations,
} from './ethermintExplanations.ts'

/**
 * Why our answer is not the chain's own: in what its server is known to be wrong, and where
 * ours says more than it. A difference that is in none of these is a fault until it is explained.
 */
export interface Explanation {
  readonly title: string
  readonly explains: (difference: Difference) => boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const isError = ({ at }: Difference): boolean => at.startsWith('answer.error')

const explanations: readonly Explanation[] = [
  {
    title: '1: eth_getTransactionReceipt gives the gas of the transaction alone as cumulativeGasUsed',
    explains: ({ method, at, ours, theirs }) =>
      method === 'eth_getTransactionReceipt' &&
      at.endsWith('.cumulativeGasUsed') &&
      Number(theirs) < Number(ours),
  },
  {
    title: 'a transaction tells the time of its block here (execution-apis)',
    explains: ({ at, theirs }) => at.endsWith('.blockTimestamp') && theirs === undefined,
  },
  {
    title: 'section 11: a proof of such a chain is ICS-23, and here a member says so',
    explains: ({ method, at, theirs }) =>
      method === 'eth_getProof' && at.endsWith('.proofType') && theirs === undefined,
  },
  {
    title: 'eth_protocolVersion is that of eth/68 here',
    explains: ({ method, ours }) => method === 'eth_protocolVersion' && ours === '0x44',
  },
  {
    title:
      'eth_getTransactionLogs is a method of cosmos/evm alone; what it tells is in receipts, which are compared',
    explains: ({ method, at, ours }) =>
      method === 'eth_getTransactionLogs' && (at === 'answer.result' || text(ours).includes('-32601')),
  },
  {
    title: '10: an unknown block or hash is null here, as in geth, and an error there',
    explains: ({ method, at, ours, theirs }) =>
      /^eth_get(Block|Header|Transaction)/.test(method) &&
      ((at === 'answer.result' && ours === null && theirs === undefined) ||
        (at === 'answer.error' &&
          ours === undefined &&
          /not found|must be less than or equal to the current/.test(text(theirs)))),
  },
  {
    title: '2: an unknown receipt is null here at once, and a timeout there',
    explains: ({ method, at, ours, theirs }) =>
      method === 'eth_getTransactionReceipt' &&
      ((at === 'answer.result' && ours === null) ||
        (at === 'answer.error' && text(theirs).includes('request timed out'))),
  },
  {
    title: '11: the last base fee of eth_feeHistory is exact here',
    explains: ({ method, at }) => method === 'eth_feeHistory' && /\.baseFeePerGas\.\d+$/.test(at),
  },
  {
    title: '12: errors lose the words of transports',
    explains: (difference) => isError(difference) && /rpc error: code =/.test(text(difference.theirs)),
  },
  {
    title: '13: a revert without data has code 3 and data 0x, as in geth',
    explains: ({ at, ours, theirs }) =>
      (at === 'answer.error.code' && ours === 3 && theirs === -32000) ||
      (at === 'answer.error.data' && ours === '0x' && theirs === undefined),
  },
  {
    title: '14: entries of a traced block name their transaction',
    explains: ({ method, at, theirs }) =>
      method.startsWith('debug_traceBlock') && at.endsWith('.txHash') && theirs === undefined,
  },
  {
    title: '15: logs up to a block above the head are those up to the head',
    explains: ({ method, at, theirs }) =>
      method === 'eth_getLogs' &&
      (at === 'answer.error' ? text(theirs).includes('invalid block range') : theirs === undefined),
  },
]

const ofFamilies: Readonly<Record<string, readonly Explanation[]>> = {
  ethermint: ethermintExplanations,
  'cosmos-evm-0.4': cosmosEvm04Explanations,
}

/** Who has said it. */
export interface Server {
  readonly family: string
  /** Whether it serves blocks of another program before it. */
  readonly isUpgraded: boolean
}

/** The server of a recorded chain, or the one that it had before its upgrade. */
export const serverOf = (
  {
    family,
    upgrade,
  }: Pick<RecordedNode, 'family'> & { readonly upgrade?: RecordedNode['upgrade'] | undefined },
  isBefore = false,
): Server =>
  isBefore && upgrade !== undefined
    ? { family: upgrade.family, isUpgraded: false }
    : { family, isUpgraded: upgrade !== undefined }

/** Those of a server: what older ones do not know is no excuse for newer ones. */
export const explanationsOf = ({ family, isUpgraded }: Server): readonly Explanation[] => [
  ...explanations,
  ...(ofFamilies[family] ?? []),
  ...(isUpgraded ? upgradeExplanations : []),
]

export const explain = (difference: Difference, server: Server): Explanation | undefined =>
  explanationsOf(server).find(({ explains }) => explains(difference))
