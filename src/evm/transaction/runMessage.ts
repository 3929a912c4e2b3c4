import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { delegationPrefix } from '../../chain/transaction/delegation.ts'
import { authorizationRefund } from '../../chain/transaction/intrinsicGas.ts'
import type { AccessListEntry } from '../../chain/transaction/transaction.ts'
import { maxNonce } from '../../chain/transaction/transactionRules.ts'
import { interruptReason } from '../host/createHost.ts'
import { haltStatus } from '../host/haltReasons.ts'
import type { EvmInstance } from '../host/instance.ts'
import { readWordAsBytes, writeBytesAsWord, writeWord } from '../host/words.ts'
import {
  type Authorization,
  type CallMessage,
  type ExecutionContext,
  InterruptedError,
  type Tracer,
  type TransactionFields,
} from '../types.ts'

const setDelegation = (instance: EvmInstance, account: number, address: Uint8Array): void => {
  const code = address.every((byte) => byte === 0) ? emptyBytes : concatBytes(delegationPrefix, address)
  const { bytes, at } = instance
  bytes.set(keccak256(code), at.IO_WORD)
  bytes.set(code, at.IO_WORD + 32)
  instance.run.deployCode(account, at.IO_WORD, at.IO_WORD + 32, code.length)
}

/**
 * Applies the authorizations of a transaction (EIP-7702): each valid one sets its signer's code, invalid ones
 * are skipped.
 */
const applyAuthorizations = (
  instance: EvmInstance,
  chainId: bigint,
  authorizations: readonly Authorization[],
): void => {
  const { run, at } = instance
  for (const authorization of authorizations) {
    const { authority } = authorization
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= maxNonce || authority === undefined) continue
    const account = instance.account(authority)
    run.warmAccount(account)
    const code = run.codeOf(account)
    if (code !== 0 && instance.view.getUint32(code + at.C_DELEGATED, true) === 0) continue
    if (instance.view.getBigUint64(account + at.A_NONCE, true) !== authorization.nonce) continue
    if (run.exists(account) !== 0) run.addRefund(authorizationRefund)
    setDelegation(instance, account, authorization.address)
    run.setNonce(account, authorization.nonce + 1n)
  }
}

const interrupted = -2
/**
 * The most gas of a message: the EVM counts gas in 63 bits, and the highest number means an unlimited amount.
 */
const maxGas = 2n ** 63n - 2n

/** The message of a top-level call. */
interface Message extends Pick<CallMessage, 'from' | 'to' | 'value' | 'data'> {
  readonly gas: bigint
  /** The sender's nonce before the transaction, from which the address of a creation follows. */
  readonly nonce: bigint
}

export interface FrameOutcome {
  readonly status: number
  readonly gasLeft: bigint
  readonly created: Uint8Array | undefined
}

/** Who pays for a message, and with which nonce. */
interface Payer {
  readonly from: Uint8Array
  /** Its account in the instance. */
  readonly account: number
  /** Its nonce before the message. */
  readonly nonce: bigint
}

/** Executes a message from the increment of the nonce to the last instruction; transactions and calls share it. */
export const runMessage = (
  instance: EvmInstance,
  { fork, chainId, block, tracer }: Pick<ExecutionContext, 'fork' | 'chainId' | 'block' | 'tracer'>,
  message: Pick<TransactionFields, 'to' | 'value' | 'data' | 'accessList' | 'authorizationList'>,
  { from, account: payer, nonce }: Payer,
  gas: bigint,
): FrameOutcome => {
  const { to, value, data } = message
  if (to === undefined && nonce === maxNonce) return refuseCreation(tracer, { from, value, data, gas })
  const target = to === undefined ? undefined : instance.account(to)
  if (since(fork, 'berlin')) warm(instance, payer, target, message.accessList)
  if (since(fork, 'shanghai')) instance.run.warmAccount(instance.account(block.coinbase))
  instance.run.setNonce(payer, nonce + 1n)
  if (target !== undefined) {
    applyAuthorizations(instance, chainId, message.authorizationList)
    warmDelegate(instance, fork, target)
  }
  return executeMessage(instance, { from, to, value, data, gas, nonce })
}

/** No nonce follows the largest one (EIP-2681), so that a creation by a call with it does not begin. It costs no gas. */
const refuseCreation = (
  tracer: Tracer | undefined,
  { from, value, data: input, gas }: Pick<Message, 'from' | 'value' | 'data' | 'gas'>,
): FrameOutcome => {
  const error = 'nonce uint64 overflow'
  const common = { kind: 'CREATE', depth: 0, isPrecompile: false } as const
  tracer?.enter?.({ ...common, from, to: new Uint8Array(20), value, gas, input })
  tracer?.exit?.({ depth: 0, gasUsed: 0n, output: emptyBytes, error, message: error })
  return { status: haltStatus(error), gasLeft: gas, created: undefined }
}

/** Marks the initially warm accounts and slots (EIP-2929 and EIP-2930; the recipient of tips, EIP-3651, is marked after them). */
const warm = (
  instance: EvmInstance,
  payer: number,
  target: number | undefined,
  accessList: readonly AccessListEntry[],
): void => {
  const { run } = instance
  run.warmAccount(payer)
  if (target !== undefined) run.warmAccount(target)
  for (const { address, storageKeys } of accessList) {
    const account = instance.account(address)
    run.warmAccount(account)
    for (const key of storageKeys) run.warmSlot(instance.slot(account, key))
  }
}

/** Marks the account to which the recipient's code delegates as warm (EIP-7702). */
const warmDelegate = (instance: EvmInstance, fork: Fork, target: number): void => {
  if (!since(fork, 'prague')) return
  const { run, at } = instance
  const code = run.codeOf(target)
  const { view } = instance
  if (code === 0 || view.getUint32(code + at.C_DELEGATED, true) === 0) return
  run.warmAccount(instance.account(instance.copy(code + at.C_DELEGATE, 20)))
}

/** Executes a message whose nonce and warm accounts are set. */
export const executeMessage = (
  instance: EvmInstance,
  { from, to, value, data, gas, nonce }: Message,
): FrameOutcome => {
  const { run, at } = instance
  const input = run.reserveInput(data.length)
  if (input === 0) throw new InterruptedError('memory limit')
  const { view, bytes } = instance
  bytes.set(data, input)
  writeBytesAsWord(bytes, at.MSG_FROM, from)
  writeWord(view, at.MSG_VALUE, value)
  if (to === undefined) {
    run.addressOf(at.MSG_FROM, nonce, at.MSG_TO)
    run.warmAccount(run.account(at.MSG_TO))
  } else writeBytesAsWord(bytes, at.MSG_TO, to)
  const created = to === undefined ? readWordAsBytes(instance.bytes, at.MSG_TO, 20) : undefined
  const given = gas < maxGas ? gas : maxGas
  let status = run.execute(to === undefined ? 1 : 0, data.length, given)
  while (run.paused.value !== 0) status = run.resume()
  if (status === interrupted) {
    const reason = interruptReason(run.interrupted.value)
    run.revertAll()
    throw new InterruptedError(reason)
  }
  return { status, gasLeft: run.endGas.value + gas - given, created }
}
