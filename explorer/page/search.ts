import { isAddress, isHash } from '../format/hex.ts'
import { toQuantity } from '../format/numbers.ts'
import { call } from '../rpc/client.ts'
import { linkTo } from './route.ts'

/** A native address of a chain of CometBFT. */
const bech32 = /^[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38,}$/

/** Returns the link to what a text means; undefined if the chain has nothing of the kind. */
export const findLink = async (text: string): Promise<string | undefined> => {
  const wanted = text.trim().replaceAll(',', '')
  if (isAddress(wanted)) return linkTo('address', [wanted.toLowerCase()])
  if (/^\d{1,15}$/.test(wanted)) return linkTo('block', [wanted])
  if (/^(?:latest|earliest|pending|safe|finalized)$/.test(wanted))
    return findBlock('eth_getBlockByNumber', wanted)
  if (/^0x[0-9a-f]{1,14}$/i.test(wanted)) return linkTo('block', [Number(wanted)])
  if (bech32.test(wanted)) return linkTo('address', [await call<string>('cosmos_toHex', wanted)])
  const hash = /^[0-9a-fA-F]{64}$/.test(wanted) ? `0x${wanted}` : wanted
  if (!isHash(hash)) return undefined
  const [transaction, block, native] = await Promise.all([
    call<object | null>('eth_getTransactionByHash', hash),
    findBlock('eth_getBlockByHash', hash),
    call<string | null>('cosmos_getEthereumHash', hash).catch(() => null),
  ])
  if (transaction !== null) return linkTo('tx', [hash])
  return block ?? (native === null ? undefined : linkTo('tx', [native]))
}

const findBlock = async (method: string, id: string): Promise<string | undefined> => {
  const block = await call<{ readonly number: string | null } | null>(method, id, false)
  return block?.number == null ? undefined : linkTo('block', [Number(block.number)])
}

/** A number of a link as a parameter; undefined if it is not a number. */
export const asBlockNumber = (text: string | undefined): `0x${string}` | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? toQuantity(Number(text)) : undefined
