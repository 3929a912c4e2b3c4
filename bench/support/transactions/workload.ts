import { readFileSync } from 'node:fs'
import { compileSolidity } from '../../../scripts/solidity.ts'
import { keccak256, privateKeyToAddress } from '../../../src/base/crypto.ts'
import { concatBytes, emptyBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { encodeTransaction } from '../../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../../src/chain/transaction/signature.ts'
import { type Connection, call } from '../connection.ts'
import { chainId, funderKey } from './peers.ts'
import { waitForReceipt } from './receipts.ts'

export const kinds = ['transfer', 'erc20'] as const
export type Kind = (typeof kinds)[number]

interface Account {
  readonly key: Uint8Array
  readonly address: Uint8Array
}

/** The transactions of one sender, with rising nonces. */
export interface Signed {
  readonly raws: readonly string[]
  readonly hashes: readonly string[]
}

/** The senders and the token that they hold. */
export interface Workload {
  readonly senders: readonly Account[]
  readonly token: Uint8Array
}

const maxPriorityFeePerGas = 10n ** 9n
/** The fee cap, more than the base fee after a series of full blocks. */
const maxFeePerGas = 10n ** 12n
const coinsEach = 50n * 10n ** 18n
const tokensEach = 10n ** 12n
const recipients = 1_000
const gasOf: Readonly<Record<Kind, bigint>> = { transfer: 21_000n, erc20: 60_000n }

const accountOf = (key: Uint8Array): Account => ({
  key,
  address: privateKeyToAddress(key),
})

const recipient = (index: number): Uint8Array =>
  keccak256(fromBigInt(BigInt(index % recipients), 32)).subarray(12)

interface Call {
  readonly gasLimit: bigint
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
}

const sign = ({ key }: Account, nonce: bigint, { gasLimit, to, value, data }: Call): Uint8Array =>
  encodeTransaction(
    signTransaction(
      {
        ...{ type: 2, chainId: BigInt(chainId), nonce, maxPriorityFeePerGas, maxFeePerGas },
        ...{ gasLimit, to, value, data, accessList: [] },
      },
      key,
    ),
  )

const tokenCode = (): Uint8Array => {
  const source = readFileSync(new URL('token.sol', import.meta.url), 'utf8')
  const settings = { optimizer: { enabled: true, runs: 200 }, evmVersion: 'cancun' }
  return fromHex(`0x${compileSolidity(source, 'Token', settings).evm.bytecode.object}`)
}

const transferSelector = keccak256(Buffer.from('transfer(address,uint256)')).subarray(0, 4)
const tokenTransfer = (token: Uint8Array, to: Uint8Array, amount: bigint): Call => ({
  gasLimit: gasOf.erc20,
  to: token,
  value: 0n,
  data: concatBytes(transferSelector, new Uint8Array(12), to, fromBigInt(amount, 32)),
})

const nonceOf = async (connection: Connection, { address }: Account): Promise<bigint> =>
  BigInt(await call<string>(connection, 'eth_getTransactionCount', toHex(address), 'latest'))

/** Sends coins and tokens to the senders. */
export const prepare = async (connection: Connection, senderCount: number): Promise<Workload> => {
  const funder = accountOf(funderKey)
  const senders = Array.from({ length: senderCount }, (_, index) =>
    accountOf(keccak256(fromBigInt(BigInt(index + 1), 32))),
  )
  let nonce = await nonceOf(connection, funder)
  const send = (request: Call): Promise<string> =>
    call<string>(connection, 'eth_sendRawTransaction', toHex(sign(funder, nonce++, request)))
  const create = { gasLimit: 900_000n, to: undefined, value: 0n, data: tokenCode() }
  const { contractAddress } = await waitForReceipt(connection, await send(create))
  if (contractAddress === null) throw new Error('the token was not created')
  const token = fromHex(contractAddress)
  let last = ''
  for (const { address } of senders) {
    await send({ gasLimit: gasOf.transfer, to: address, value: coinsEach, data: emptyBytes })
    last = await send(tokenTransfer(token, address, tokensEach))
  }
  await waitForReceipt(connection, last)
  return { senders, token }
}

/** Signs `count` transactions of each sender. */
export const signAll = async (
  connection: Connection,
  { senders, token }: Workload,
  kind: Kind,
  count: number,
): Promise<readonly Signed[]> => {
  const signed: Signed[] = []
  for (const [senderIndex, sender] of senders.entries()) {
    const first = await nonceOf(connection, sender)
    const all = Array.from({ length: count }, (_, index) => {
      const to = recipient(senderIndex + index * senders.length)
      const request =
        kind === 'erc20'
          ? tokenTransfer(token, to, 1n)
          : { gasLimit: gasOf.transfer, to, value: 1n, data: emptyBytes }
      return sign(sender, first + BigInt(index), request)
    })
    signed.push({ raws: all.map(toHex), hashes: all.map((raw) => toHex(keccak256(raw))) })
  }
  return signed
}
