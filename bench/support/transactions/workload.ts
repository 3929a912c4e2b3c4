import { keccak256, privateKeyToAddress } from '../../../src/base/crypto/crypto.ts'
import { fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { type Account, setUp } from '../chain/accounts.ts'
import { compileToken } from '../chain/contracts.ts'
import { waitForReceipt } from '../chain/receipts.ts'
import { type Call, encodeCall, recipient, signCall } from '../chain/signing.ts'
import { type Connection, call } from '../load/connection.ts'

export const kinds = ['transfer', 'erc20'] as const
export type Kind = (typeof kinds)[number]

/** The transactions of one sender, with rising nonces. */
export interface Signed {
  readonly raws: readonly string[]
  readonly hashes: readonly string[]
}

/** The senders and the token that they hold. */
export interface Workload {
  readonly senders: readonly Account[]
  readonly token: string
}

const coinsEach = 50n * 10n ** 18n
const tokensEach = 10n ** 12n
const gasOf: Readonly<Record<Kind, bigint>> = { transfer: 21_000n, erc20: 60_000n }

const accountOf = (key: Uint8Array): Account => ({ key, address: toHex(privateKeyToAddress(key)) })

const tokenTransfer = (token: string, to: string, amount: bigint): Call => ({
  gasLimit: gasOf.erc20,
  to: token,
  data: encodeCall('transfer(address,uint256)', to, amount),
})

const nonceOf = async (connection: Connection, { address }: Account): Promise<number> =>
  Number(await call<string>(connection, 'eth_getTransactionCount', address, 'latest'))

/** Sends coins and tokens to the senders. */
export const prepare = async (connection: Connection, senderCount: number): Promise<Workload> => {
  const senders = Array.from({ length: senderCount }, (_, index) =>
    accountOf(keccak256(fromBigInt(BigInt(index + 1), 32))),
  )
  let nonce = await nonceOf(connection, setUp)
  const send = (request: Call): Promise<string> =>
    call<string>(connection, 'eth_sendRawTransaction', signCall(setUp, nonce++, request).raw)
  const data = `0x${compileToken().bytecode.object}`
  const { contractAddress: token } = await waitForReceipt(
    connection,
    await send({ gasLimit: 900_000n, to: undefined, data }),
  )
  if (token === null) throw new Error('the token was not created')
  let last = ''
  for (const { address } of senders) {
    await send({ gasLimit: gasOf.transfer, to: address, value: coinsEach })
    last = await send(tokenTransfer(token, address, tokensEach))
  }
  await waitForReceipt(connection, last)
  return { senders, token }
}

/** Signs `count` transactions of each of the first `senders`. */
export const signAll = async (
  connection: Connection,
  workload: Workload,
  { kind, count, senders }: { readonly kind: Kind; readonly count: number; readonly senders: number },
): Promise<readonly Signed[]> => {
  const signed: Signed[] = []
  for (const [senderIndex, sender] of workload.senders.slice(0, senders).entries()) {
    const first = await nonceOf(connection, sender)
    const all = Array.from({ length: count }, (_, index) => {
      const to = recipient(senderIndex + index * senders)
      const request =
        kind === 'erc20' ? tokenTransfer(workload.token, to, 1n) : { gasLimit: gasOf.transfer, to, value: 1n }
      return signCall(sender, first + index, request)
    })
    signed.push({ raws: all.map(({ raw }) => raw), hashes: all.map(({ hash }) => hash) })
  }
  return signed
}
