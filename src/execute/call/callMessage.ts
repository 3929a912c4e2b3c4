import { emptyBytes, maxUint256 } from '../../base/encoding/bytes.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { refused } from '../../chain/chainError.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import { chainIdMismatch } from '../../chain/state/callErrors.ts'
import type { SimulationErrorKind } from '../../chain/state/simulation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'
import type { CallMessage } from '../../evm/types.ts'

/** A transaction request with geth's defaults for calls. The caller that runs it chooses the gas limit. */
export interface PreparedMessage {
  readonly message: Omit<CallMessage, 'gasLimit' | 'isPaid'>
  /** The gas limit that the client requested. */
  readonly gas: bigint | undefined
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerBlobGas: bigint
  readonly hasBlobs: boolean
  readonly hasAuthorizations: boolean
}

/** The fork and prices of the block that a message runs in. */
export interface BlockPrices {
  readonly fork: Fork
  readonly baseFee: bigint
  readonly blobBaseFee: bigint
  /** Whether a message without a gas price must pay the block's price too. */
  readonly isFeeRequired?: boolean
}

/** Thrown if the message cannot be executed, with geth's error message. */
export class MessageError extends Error {
  override readonly name: string = 'MessageError'
  readonly kind: SimulationErrorKind

  constructor(message: string, kind: SimulationErrorKind = 'invalid transaction') {
    super(message)
    this.kind = kind
  }
}

const zeroAddress = new Uint8Array(20)
/** The maximum number of blobs of one transaction (EIP-7594). */
const maxBlobs = 6

const resolveFees = (request: TransactionRequest, isLondon: boolean, baseFee: bigint) => {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = request
  if (gasPrice !== undefined || !isLondon) {
    const price = gasPrice ?? 0n
    return { gasPrice: price, maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  if (maxFeePerGas === 0n && maxPriorityFeePerGas === 0n)
    return { gasPrice: 0n, maxFeePerGas, maxPriorityFeePerGas }
  const wanted = baseFee + maxPriorityFeePerGas
  return {
    gasPrice: wanted < maxFeePerGas ? wanted : maxFeePerGas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  }
}

const assertNoCreation = ({ to, blobVersionedHashes, authorizationList }: TransactionRequest): void => {
  if (to !== undefined) return
  if (blobVersionedHashes !== undefined) throw refused('blob transaction of type create')
  if (authorizationList !== undefined) throw refused('EIP-7702 transaction cannot be used to create contract')
}

/** Fills in geth's defaults for missing fields and throws a `MessageError` for fields that contradict each other. */
export const prepareMessage = (
  request: TransactionRequest,
  chainId: bigint,
  fork: Fork,
  baseFee: bigint,
): PreparedMessage => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined))
    throw refused('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  if (request.chainId !== undefined && request.chainId !== chainId)
    throw chainIdMismatch(request.chainId, chainId)
  assertNoCreation(request)
  const prices = resolveFees(request, since(fork, 'london'), baseFee)
  return {
    message: {
      from: request.from ?? zeroAddress,
      to: request.to,
      value: request.value ?? 0n,
      data: request.data ?? emptyBytes,
      gasPrice: prices.gasPrice,
      accessList: request.accessList ?? [],
      blobVersionedHashes: request.blobVersionedHashes ?? [],
      authorizationList: (request.authorizationList ?? []).map((authorization) => ({
        chainId: authorization.chainId,
        address: authorization.address,
        nonce: authorization.nonce,
        authority: recoverAuthority(authorization),
      })),
    },
    gas: request.gas,
    maxFeePerGas: prices.maxFeePerGas,
    maxPriorityFeePerGas: prices.maxPriorityFeePerGas,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
    hasBlobs: request.blobVersionedHashes !== undefined,
    hasAuthorizations: request.authorizationList !== undefined,
  }
}

const checkFees = (prepared: PreparedMessage, { fork, baseFee, isFeeRequired }: BlockPrices): void => {
  const { message, maxFeePerGas, maxPriorityFeePerGas } = prepared
  if (!since(fork, 'london')) return
  if (!isFeeRequired && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n) return
  const address = toChecksumAddress(message.from)
  if (maxFeePerGas < maxPriorityFeePerGas)
    throw new MessageError(
      `max priority fee per gas higher than max fee per gas: address ${address}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
      'invalid transaction',
    )
  if (maxFeePerGas < baseFee)
    throw new MessageError(
      `max fee per gas less than block base fee: address ${address}, ` +
        `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`,
      'fee cap too low',
    )
}

const checkBlobs = (prepared: PreparedMessage, { fork, blobBaseFee, isFeeRequired }: BlockPrices): void => {
  const { message, maxFeePerBlobGas } = prepared
  if (!prepared.hasBlobs) return
  const hashes = message.blobVersionedHashes
  if (hashes.length === 0) throw new MessageError('blob transaction missing blob hashes', 'other')
  if (since(fork, 'osaka') && hashes.length > maxBlobs)
    throw new MessageError('blob transaction has too many blobs', 'other')
  const wrong = hashes.findIndex((hash) => hash[0] !== 1)
  if (wrong >= 0) throw new MessageError(`blob ${wrong} has invalid hash version`, 'other')
  const isHeld = isFeeRequired || maxFeePerBlobGas !== 0n
  if (since(fork, 'cancun') && isHeld && maxFeePerBlobGas < blobBaseFee)
    throw new MessageError(
      `max fee per blob gas less than block blob gas fee: address ${toChecksumAddress(message.from)} ` +
        `blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`,
      'other',
    )
}

const checkAuthorizations = ({ message, hasAuthorizations }: PreparedMessage): void => {
  if (!hasAuthorizations || message.authorizationList.length > 0) return
  throw new MessageError(
    `EIP-7702 transaction with empty auth list (sender ${toChecksumAddress(message.from)})`,
    'other',
  )
}

/** Checks a message in geth's order and throws `MessageError`. */
export const checkMessage = (
  prepared: PreparedMessage,
  prices: BlockPrices,
  balance: bigint,
  gasLimit: bigint,
): void => {
  checkFees(prepared, prices)
  checkBlobs(prepared, prices)
  checkAuthorizations(prepared)
  const { message, maxFeePerGas, maxFeePerBlobGas } = prepared
  const blobs = BigInt(message.blobVersionedHashes.length) * gasPerBlob * maxFeePerBlobGas
  const needed = gasLimit * maxFeePerGas + message.value + blobs
  if (needed <= balance) return
  throw new MessageError(
    `insufficient funds for gas * price + value: address ${toChecksumAddress(message.from)} ` +
      (needed > maxUint256 ? 'required balance exceeds 256 bits' : `have ${balance} want ${needed}`),
    'insufficient funds',
  )
}
