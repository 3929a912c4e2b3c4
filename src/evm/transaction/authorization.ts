import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'
import { delegationPrefix } from '../../chain/transaction/delegation.ts'
import { authorizationRefund } from '../../chain/transaction/intrinsicGas.ts'
import { maxNonce } from '../../chain/transaction/transactionRules.ts'
import type { EvmInstance } from '../host/instance.ts'
import type { Authorization } from '../types.ts'

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
export const applyAuthorizations = (
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
