import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { type AccountOverride, type SlotWords, toEntries } from '../../chain/state/overrides.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'

const quantity = (value: bigint | undefined): string | undefined =>
  value === undefined ? undefined : toQuantity(value)

const data = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : toHex(value)

/** Encodes a call as JSON-RPC does, which is the format of the EVM module; undefined members are omitted. */
export const encodeCall = (request: TransactionRequest): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      from: data(request.from),
      to: data(request.to),
      gas: quantity(request.gas),
      gasPrice: quantity(request.gasPrice),
      maxFeePerGas: quantity(request.maxFeePerGas),
      maxPriorityFeePerGas: quantity(request.maxPriorityFeePerGas),
      value: quantity(request.value),
      nonce: quantity(request.nonce),
      input: data(request.data),
      accessList: request.accessList?.map(({ address, storageKeys }) => ({
        address: toHex(address),
        storageKeys: storageKeys.map(toHex),
      })),
      chainId: quantity(request.chainId),
      maxFeePerBlobGas: quantity(request.maxFeePerBlobGas),
      blobVersionedHashes: request.blobVersionedHashes?.map(toHex),
      authorizationList: request.authorizationList?.map((authorization) => ({
        chainId: toQuantity(authorization.chainId),
        address: toHex(authorization.address),
        nonce: toQuantity(authorization.nonce),
        yParity: toQuantity(authorization.yParity),
        r: toQuantity(authorization.r),
        s: toQuantity(authorization.s),
      })),
    }),
  )

const slots = (words: SlotWords | undefined): Record<string, string> | undefined =>
  words && Object.fromEntries(toEntries(words).map(([slot, value]) => [toHex(slot), toHex(value)]))

export const encodeOverrides = (overrides: readonly AccountOverride[]): Uint8Array =>
  Buffer.from(
    JSON.stringify(
      Object.fromEntries(
        overrides.map((override) => [
          toHex(override.address),
          {
            nonce: quantity(override.nonce),
            code: data(override.code),
            balance: quantity(override.balance),
            state: slots(override.state),
            stateDiff: slots(override.stateDiff),
            movePrecompileToAddress: data(override.movePrecompileToAddress),
          },
        ]),
      ),
    ),
  )
