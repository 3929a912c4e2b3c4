import { sha256 } from '../../base/crypto/crypto.ts'
import type { TextEvent } from '../results/textEvent.ts'
import { type Coin, parseCoins } from './coins.ts'

/**
 * Transfers of tokens between chains (ICS-20) in the events of a transaction. They are read from the packets
 * (`send_packet`, `recv_packet`), which all versions of ibc-go write alike; what `ibc_transfer` and
 * `fungible_token_packet` say changed with almost every version, and the first ones leave out the token.
 */
export interface IbcTransfer {
  readonly direction: 'sent' | 'received'
  /** The coin, with its denomination on this chain. */
  readonly coin: Coin
  /** The addresses as the packet has them; one of them is of the other chain. */
  readonly sender: string
  readonly receiver: string
  /** The port and the channel at this chain's end. */
  readonly port: string
  readonly channel: string
  readonly memo: string
}

interface Packet {
  readonly source: { readonly port: string; readonly channel: string }
  readonly destination: { readonly port: string; readonly channel: string }
  readonly data: Readonly<Record<'denom' | 'amount' | 'sender' | 'receiver' | 'memo', string>>
}

/** The packets of other applications are not read; they have ports of their own. */
const transferPort = 'transfer'
const hasTrace = /^[^/]+\/channel-\d+\/./

const find = ({ attributes }: TextEvent, key: string): string | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value

/** Returns the name that this chain's bank has for a path of hops and a denomination. */
export const localDenom = (path: string): string =>
  hasTrace.test(path)
    ? `ibc/${Buffer.from(sha256(Buffer.from(path)))
        .toString('hex')
        .toUpperCase()}`
    : path

const readData = (event: TextEvent): Packet['data'] | undefined => {
  const hex = find(event, 'packet_data_hex')
  const text = hex === undefined ? find(event, 'packet_data') : Buffer.from(hex, 'hex').toString()
  try {
    const { denom, amount, sender, receiver, memo = '' } = JSON.parse(text ?? '') as Packet['data'] // checked below
    const isText = [denom, amount, sender, receiver, memo].every((value) => typeof value === 'string')
    return isText ? { denom, amount, sender, receiver, memo } : undefined
  } catch {
    return undefined
  }
}

/** Returns the packet of a transfer of tokens; undefined for any other packet. */
const readPacket = (event: TextEvent): Packet | undefined => {
  const [source, destination] = (['src', 'dst'] as const).map((end) => ({
    port: find(event, `packet_${end}_port`) ?? '',
    channel: find(event, `packet_${end}_channel`) ?? '',
  })) as [Packet['source'], Packet['destination']]
  const data = readData(event)
  const isOurs = (event.type === 'send_packet' ? source : destination).port === transferPort
  return isOurs && data ? { source, destination, data } : undefined
}

const toTransfer = (
  { source, destination, data }: Packet,
  direction: IbcTransfer['direction'],
): IbcTransfer | undefined => {
  const here = direction === 'sent' ? source : destination
  // A token that comes home loses the hop that it went by; any other gets one more.
  const home = `${source.port}/${source.channel}/`
  const path =
    direction === 'sent'
      ? data.denom
      : data.denom.startsWith(home)
        ? data.denom.slice(home.length)
        : `${destination.port}/${destination.channel}/${data.denom}`
  const [coin] = parseCoins(`${data.amount}${localDenom(path)}`)
  return coin && { direction, coin, ...here, sender: data.sender, receiver: data.receiver, memo: data.memo }
}

/** Returns a function that is given the events of a transaction in their order, and returns the transfer that one ends. */
export const createIbcReader = (): ((event: TextEvent) => IbcTransfer | undefined) => {
  let received: Packet | undefined
  return (event) => {
    if (event.type === 'send_packet') {
      const packet = readPacket(event)
      return packet && toTransfer(packet, 'sent')
    }
    if (event.type === 'recv_packet') received = readPacket(event)
    if (event.type !== 'fungible_token_packet' || received === undefined) return undefined
    // The application says behind the packet whether it took the tokens.
    const packet = received
    received = undefined
    return find(event, 'success') === 'true' ? toTransfer(packet, 'received') : undefined
  }
}
