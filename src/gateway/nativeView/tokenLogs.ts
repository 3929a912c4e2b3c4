import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { fromBech32 } from '../../chain/bech32.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { type Coin, parseCoins } from '../../cosmos/tokens/coins.ts'
import { createIbcReader, type IbcTransfer } from '../../cosmos/tokens/ibcPacket.ts'

const wordLength = 32

/** Returns a value as a word of the ABI. */
const toWord = (value: bigint): Uint8Array =>
  Buffer.from(value.toString(16).padStart(2 * wordLength, '0'), 'hex')

/** Returns an address as a word of the ABI. Longer addresses of the SDK end in it, as its EVM modules have them. */
const addressWord = (address: Uint8Array): Uint8Array => {
  const word = new Uint8Array(wordLength)
  const end = address.subarray(-20)
  word.set(end, wordLength - end.length)
  return word
}

/** Returns the topic of an indexed string, or of the signature of an event. */
const textTopic = (text: string): Uint8Array => keccak256(Buffer.from(text))

/** Encodes arguments that are texts or integers. */
const encodeArguments = (values: readonly (string | bigint)[]): Uint8Array => {
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let end = values.length * wordLength
  for (const value of values) {
    if (typeof value === 'bigint') {
      heads.push(toWord(value))
      continue
    }
    const bytes = Buffer.from(value)
    const padded = new Uint8Array(Math.ceil(bytes.length / wordLength) * wordLength)
    padded.set(bytes)
    heads.push(toWord(BigInt(end)))
    tails.push(toWord(BigInt(bytes.length)), padded)
    end += wordLength + padded.length
  }
  return concatBytes(...heads, ...tails)
}

/**
 * The movements of tokens in the events of a Cosmos transaction, as logs in the form of ERC-20 and of the ICS-20
 * precompile (docs/decisions/0082-tokens-of-the-cosmos-view.md).
 */

/** A log of a movement, with the values that the mark `cosmos` has beside the event. */
export interface TokenLog extends Log {
  readonly mark: Readonly<Record<string, string>>
}

const transferTopic = textTopic('Transfer(address,address,uint256)')
const ibcSentTopic = textTopic('IBCTransfer(address,string,string,string,string,uint256,string)')
const ibcReceivedTopic = textTopic('IBCReceive(string,address,string,string,string,uint256,string)')
const noAddress = new Uint8Array(20)

/** Returns the address that stands for a denomination. No contract and no key for it is known. */
export const denomAddress = (denom: string): Uint8Array =>
  keccak256(Buffer.from(`cosmos:denomination:${denom}`)).subarray(12)

/** Returns an address of the SDK or of Ethereum; undefined for any other text. */
const readAddress = (text: string | undefined): Uint8Array | undefined => {
  if (text === undefined) return undefined
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return Buffer.from(text.slice(2), 'hex')
  try {
    return fromBech32(text).bytes
  } catch {
    return undefined
  }
}

interface Movement {
  readonly coins: readonly Coin[]
  readonly sender: string | undefined
  readonly recipient: string | undefined
}

const attributeOf = ({ attributes }: TextEvent, key: string): string | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value

/**
 * Returns what the bank moved, made or burnt by an event; undefined if the event is another. A payment to many names its
 * recipients alone: who paid is the last who spent.
 */
const readMovement = (event: TextEvent, spender: string | undefined): Movement | undefined => {
  const { type } = event
  const find = (key: string): string | undefined => attributeOf(event, key)
  const coins = parseCoins(find('amount') ?? '')
  const [sender, recipient] = [find('sender') ?? spender, find('recipient')]
  if (type === 'transfer' && sender !== undefined && recipient !== undefined)
    return { coins, sender, recipient }
  const [minter, burner] = [find('minter'), find('burner')]
  if (type === 'coinbase' && minter !== undefined) return { coins, sender: undefined, recipient: minter }
  if (type === 'burn' && burner !== undefined) return { coins, sender: burner, recipient: undefined }
  return undefined
}

const transferLogs = ({ coins, sender, recipient }: Movement): readonly TokenLog[] => {
  const from = sender === undefined ? noAddress : readAddress(sender)
  const to = recipient === undefined ? noAddress : readAddress(recipient)
  if (from === undefined || to === undefined) return []
  return coins.map(({ amount, denom }) => ({
    address: denomAddress(denom),
    topics: [transferTopic, addressWord(from), addressWord(to)],
    data: toWord(amount),
    mark: { denom, ...(sender && { sender }), ...(recipient && { recipient }) },
  }))
}

const ibcLogs = (transfer: IbcTransfer): readonly TokenLog[] => {
  const { direction, coin, sender, receiver, port, channel, memo } = transfer
  const account = readAddress(direction === 'sent' ? sender : receiver)
  if (account === undefined) return []
  const word = addressWord(account)
  return [
    {
      address: denomAddress(coin.denom),
      topics:
        direction === 'sent'
          ? [ibcSentTopic, word, textTopic(receiver)]
          : [ibcReceivedTopic, textTopic(sender), word],
      data: encodeArguments([port, channel, coin.denom, coin.amount, memo]),
      mark: { denom: coin.denom, sender, receiver, port, channel },
    },
  ]
}

/** Returns a function that is given the events of a transaction in their order, and returns the token logs of each. */
export const createTokenLogReader = (): ((event: TextEvent) => readonly TokenLog[]) => {
  const readIbc = createIbcReader()
  let spender: string | undefined
  return (event) => {
    if (event.type === 'coin_spent') spender = attributeOf(event, 'spender')
    const movement = readMovement(event, spender)
    const ibc = readIbc(event)
    return [...(movement ? transferLogs(movement) : []), ...(ibc ? ibcLogs(ibc) : [])]
  }
}
