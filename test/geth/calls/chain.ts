import { privateKeyToAddress } from '../../../src/base/crypto/crypto.ts'
import { concatBytes, emptyBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import { contractAddress } from '../../../src/chain/transaction/contractAddress.ts'
import { encodeTransaction } from '../../../src/chain/transaction/encode.ts'
import { signAuthorization, signTransaction } from '../../../src/chain/transaction/signature.ts'
import type { UnsignedTransaction } from '../../../src/chain/transaction/transaction.ts'
import { initCode, runtimeCode } from '../../fuzz/programs.ts'
import { createRandom, type Random } from '../../support/random.ts'
import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { createGenesis } from '../genesis.ts'

/** A chain with contracts made of random programs, and random transactions to them. The same in every run. */

const seed = 20_261_115
const chainId = 4711n
const contractCount = 12
const transactionCount = 60

const keys = [0xa1, 0xa2, 0xa3].map((byte) => new Uint8Array(32).fill(byte))
const senders = keys.map((key) => privateKeyToAddress(key).slice())
const [deployer] = senders as [Uint8Array]
/** An account that delegates to a contract (EIP-7702). */
const delegated = senders[2] as Uint8Array

/** The one that has most of the coins. */
export const richSender = deployer
export const unusedAddress = new Uint8Array(20).fill(0x99)
export const contracts = Array.from({ length: contractCount }, (_, nonce) =>
  contractAddress(deployer, BigInt(nonce)),
)
/** Whom programs and calls know. */
export const addresses = [...contracts, deployer, delegated, unusedAddress]

export const genesis = createGenesis(
  Number(chainId),
  Object.fromEntries(senders.map((address) => [toHex(address), { balance: toQuantity(10n ** 24n) }])),
)

/** Fills three slots and leaves the code. */
const deployment = (random: Random, code: Uint8Array): Uint8Array => {
  const stores = [0, 1, 2].map((slot) => Uint8Array.of(0x60, 1 + random.below(200), 0x60, slot, 0x55))
  const length = fromBigInt(BigInt(code.length), 2)
  const start = stores.length * 5 + 15
  return concatBytes(
    ...stores,
    // PUSH2 length, PUSH2 start, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, RETURN
    ...[Uint8Array.of(0x61), length, Uint8Array.of(0x61), fromBigInt(BigInt(start), 2)],
    ...[Uint8Array.of(0x60, 0, 0x39, 0x61), length, Uint8Array.of(0x60, 0, 0xf3), code],
  )
}

const nonces = (): ((sender: number) => bigint) => {
  const next = senders.map(() => 0n)
  return (sender) => {
    const nonce = next[sender] as bigint
    next[sender] = nonce + 1n
    return nonce
  }
}

const common = {
  chainId,
  maxPriorityFeePerGas: 10n ** 9n,
  maxFeePerGas: 10n ** 10n,
  gasLimit: 700_000n,
}

const randomTransaction = (random: Random, nonce: bigint): UnsignedTransaction => {
  const isCreation = random.chance(0.12)
  const surroundings = { random, fork: 'osaka', addresses } as const
  const fields = {
    ...common,
    nonce,
    to: isCreation ? undefined : random.pick(random.chance(0.9) ? contracts : addresses),
    value: random.chance(0.4) ? BigInt(random.below(5_000)) : 0n,
    data: isCreation ? initCode(surroundings) : random.bytes(random.pick([0, 4, 36, 200])),
  }
  const accessList = [{ address: random.pick(contracts), storageKeys: [fromBigInt(1n, 32)] }]
  const { maxFeePerGas: gasPrice, maxPriorityFeePerGas: _, ...priced } = { ...fields }
  switch (random.below(4)) {
    case 0:
      return { ...priced, type: 0, gasPrice }
    case 1:
      return { ...priced, type: 1, gasPrice, accessList }
    default:
      return { ...fields, type: 2, accessList: random.chance(0.3) ? accessList : [] }
  }
}

/** What happens on the chain: contracts, an account that delegates, and calls, each in a block of its own. */
export const script = async (node: RpcClient): Promise<void> => {
  const random = createRandom(seed)
  const nextNonce = nonces()
  const send = async (sender: number, tx: UnsignedTransaction): Promise<void> => {
    const raw = encodeTransaction(signTransaction(tx, keys[sender] as Uint8Array))
    await node.call('eth_sendRawTransaction', toHex(raw))
  }
  for (const _ of contracts) {
    const code = runtimeCode({ random, fork: 'osaka', addresses })
    const value = BigInt(random.below(2) * 10_000)
    const create = { to: undefined, value, data: deployment(random, code), accessList: [] }
    await send(0, { ...common, gasLimit: 5_000_000n, ...create, type: 2, nonce: nextNonce(0) })
  }
  const authorization = { chainId, address: contracts[0] as Uint8Array, nonce: 0n }
  await send(1, {
    ...{
      ...common,
      type: 4,
      nonce: nextNonce(1),
      to: unusedAddress,
      value: 7n,
      data: emptyBytes,
      accessList: [],
    },
    authorizations: [signAuthorization(authorization, keys[2] as Uint8Array)],
  })
  for (let index = 0; index < transactionCount; index++) {
    const sender = random.below(2)
    await send(sender, randomTransaction(random, nextNonce(sender)))
  }
}
