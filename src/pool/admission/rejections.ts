import { toChecksumAddress } from '../../chain/address.ts'

/**
 * Why the pool rejects a transaction. Clients match on the text, so it is geth's, word for word where geth
 * has the case (core/error.go, core/txpool/errors.go and validation.go, legacypool.go).
 */
export interface Rejection {
  readonly kind: RejectionKind
  readonly message: string
}

const coin = 10n ** 18n

/** Renders whole coins with two decimals, rounded half up. */
const toCoins = (wei: bigint): string => {
  const hundredths = (wei * 100n + coin / 2n) / coin
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`
}

const insufficientFunds = 'insufficient funds for gas * price + value'

const messages = {
  malformed: (detail: string) => `invalid transaction: ${detail}`,
  invalidSignature: () => 'invalid transaction v, r, s values',
  typeNotSupported: () => 'transaction type not supported',
  /** The caller gives the text, because it knows why this chain accepts no blobs. */
  blobsNotAccepted: (message: string) => message,
  /** geth does not name the setting. */
  feeOverCap: (fee: bigint, cap: bigint) =>
    `tx fee (${toCoins(fee)} ether) exceeds the configured cap (${toCoins(cap)} ether)`,
  unprotected: () => 'only replay-protected (EIP-155) transactions allowed over RPC',
  alreadyKnown: () => 'already known',
  oversized: (size: number, limit: number) => `oversized data: transaction size ${size}, limit ${limit}`,
  initCodeTooLong: (size: number, limit: number) =>
    `max initcode size exceeded: code size ${size} limit ${limit}`,
  overTransactionGasCap: (cap: bigint, gas: bigint) =>
    `transaction gas limit too high (cap: ${cap}, tx: ${gas})`,
  overBlockGasLimit: () => 'exceeds block gas limit',
  tipAboveFeeCap: () => 'max priority fee per gas higher than max fee per gas',
  invalidSender: () => 'invalid sender: invalid transaction v, r, s values',
  wrongChainId: (have: bigint, want: bigint) =>
    `invalid sender: invalid chain id for signer: have ${have} want ${want}`,
  nonceAtMaximum: () => 'nonce has max value',
  intrinsicGasTooLow: (gas: bigint, needed: bigint) =>
    `intrinsic gas too low: gas ${gas}, minimum needed ${needed}`,
  floorGasTooLow: (gas: bigint, needed: bigint) =>
    `insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${needed}`,
  belowMinimumPrice: (what: string, have: bigint, needed: bigint) =>
    `transaction underpriced: ${what} ${have}, minimum needed ${needed}`,
  belowBaseFee: (sender: Uint8Array, maxFee: bigint, baseFee: bigint) =>
    `max fee per gas less than block base fee: address ${toChecksumAddress(sender)}, maxFeePerGas: ${maxFee}, baseFee: ${baseFee}`,
  sidecarMissing: () => 'missing sidecar in blob transaction',
  tooManyBlobs: (count: number, limit: number) =>
    `transaction blob limit exceeded: blob count ${count}, limit ${limit}`,
  invalidBlobs: (detail: string) => detail,
  noAuthorizations: () => 'set code tx must have at least one authorization tuple',
  setCodeCreates: () => 'EIP-7702 transaction cannot be used to create contract',
  senderIsContract: (sender: Uint8Array) => `sender not an eoa: address ${toChecksumAddress(sender)}`,
  nonceTooLow: (next: bigint, nonce: bigint) => `nonce too low: next nonce ${next}, tx nonce ${nonce}`,
  nonceTooHigh: (nonce: bigint, gapped: bigint) =>
    `nonce too high: tx nonce ${nonce}, gapped nonce ${gapped}`,
  insufficientFunds: (balance: bigint, cost: bigint) =>
    `${insufficientFunds}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
  insufficientFundsForAll: (balance: bigint, spent: bigint, cost: bigint) =>
    `${insufficientFunds}: balance ${balance}, queued cost ${spent}, tx cost ${cost}, overshot ${spent + cost - balance}`,
  insufficientFundsForBump: (balance: bigint, spent: bigint, bump: bigint) =>
    `${insufficientFunds}: balance ${balance}, queued cost ${spent}, tx bumped ${bump}, overshot ${spent + bump - balance}`,
  gappedFromDelegated: () => 'gapped-nonce tx from delegated accounts',
  delegatedInFlight: () => 'in-flight transaction limit reached for delegated accounts',
  authorityReserved: () => 'authority already reserved',
  replacementUnderpriced: () => 'replacement transaction underpriced',
  underpriced: () => 'transaction underpriced',
  accountLimit: (pooled: number) => `account limit exceeded: pooled ${pooled} txs`,
  poolFull: () => 'txpool is full',
  notJournaled: () =>
    'the transaction cannot be written to the journal of the pool: look at the disk of this node, and send it again',
  busy: (waiting: number, what: 'signatures' | 'blobs') =>
    `txpool is busy: ${waiting} transactions wait for their ${what} to be checked`,
} as const

type Messages = typeof messages
export type RejectionKind = keyof Messages

/** The kinds that say something of the pool now and nothing of the transaction. */
const passingKinds: ReadonlySet<RejectionKind> = new Set([
  ...(['busy', 'notJournaled', 'poolFull', 'underpriced', 'accountLimit', 'nonceTooHigh'] as const),
  ...(['delegatedInFlight', 'gappedFromDelegated', 'authorityReserved'] as const),
])

/** Returns whether the pool may take later what it rejects now. */
export const isPassing = ({ kind }: Rejection): boolean => passingKinds.has(kind)

/**
 * The kinds about the sender's funds, prices and limits, which change with any block. Limits of a fork, such as that of blobs, are
 * not among them: a fork that makes a transaction invalid ends its record.
 */
const changingKinds: ReadonlySet<RejectionKind> = new Set([
  ...(['insufficientFunds', 'insufficientFundsForAll', 'insufficientFundsForBump'] as const),
  ...(['belowBaseFee', 'belowMinimumPrice', 'overBlockGasLimit'] as const),
])

/** Returns whether an acknowledged transaction that is rejected so can be executed at no later head. */
export const isLasting = (rejection: Rejection): boolean =>
  !isPassing(rejection) && !changingKinds.has(rejection.kind)

export const reject = <Kind extends RejectionKind>(
  kind: Kind,
  ...details: Parameters<Messages[Kind]>
): Rejection => {
  // Each message takes exactly the details of its kind, which the compiler cannot express for the union.
  const message = messages[kind] as (...details: unknown[]) => string
  return { kind, message: message(...details) }
}
