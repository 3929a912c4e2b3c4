import { decodeEventLog, keccak256, parseAbi, stringToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toBech32 } from '../../chain/bech32.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { toSyntheticLogs } from './syntheticLogs.ts'

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event IBCTransfer(address indexed sender, string indexed receiver, string sourcePort, string sourceChannel, string denom, uint256 amount, string memo)',
  'event IBCReceive(string indexed sender, address indexed receiver, string destinationPort, string destinationChannel, string denom, uint256 amount, string memo)',
])

const account = (byte: number, length = 20) => new Uint8Array(length).fill(byte)
const bech32 = (bytes: Uint8Array, prefix = 'cosmos') => toBech32({ prefix, bytes })
const alice = bech32(account(1))
const bob = bech32(account(2))
const zero = `0x${'00'.repeat(20)}`

const event = (type: string, attributes: Readonly<Record<string, string>>): TextEvent => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
})

/** Computed without our code, by the rule in the documentation. */
const addressOf = (denom: string): string =>
  `0x${keccak256(stringToBytes(`cosmos:denomination:${denom}`)).slice(-40)}`

const ibcDenom = (path: string): string =>
  `ibc/${toHex(sha256(Buffer.from(path)))
    .slice(2)
    .toUpperCase()}`

/** Returns the token logs of events, decoded by viem. */
const tokens = (...events: readonly TextEvent[]) =>
  toSyntheticLogs(events)
    .filter(({ topics }) => topics.length > 1)
    .map(({ address, topics, data, cosmos }) => {
      const hexTopics = topics.map(toHex) as [`0x${string}`, ...`0x${string}`[]]
      const { eventName, args } = decodeEventLog({
        abi,
        topics: hexTopics,
        data: toHex(data) as `0x${string}`,
      })
      return { address: toHex(address), eventName, args: args as Record<string, unknown>, cosmos }
    })

describe('movements of the bank', () => {
  it('of a payment to many come from who spent', () => {
    const events = [
      event('coin_spent', { spender: alice, amount: '9aevmos' }),
      event('coin_received', { receiver: bob, amount: '9aevmos' }),
      event('transfer', { recipient: bob, amount: '9aevmos' }),
    ]
    const args = { from: toHex(account(1)), to: toHex(account(2)), value: 9n }
    expect(tokens(...events).map((log) => log.args)).toEqual([args])
  })

  it('are an ERC-20 Transfer for each coin, behind the log of the event', () => {
    const events = [event('transfer', { recipient: bob, sender: alice, amount: '7aevmos,9ibc/AB12' })]
    expect(toSyntheticLogs(events).map(({ topics }) => topics.length)).toEqual([1, 3, 3])
    const args = { from: toHex(account(1)), to: toHex(account(2)) }
    const mark = { event: 'transfer', sender: alice, recipient: bob }
    expect(tokens(...events)).toEqual([
      {
        address: addressOf('aevmos'),
        eventName: 'Transfer',
        args: { ...args, value: 7n },
        cosmos: { ...mark, denom: 'aevmos' },
      },
      {
        address: addressOf('ibc/AB12'),
        eventName: 'Transfer',
        args: { ...args, value: 9n },
        cosmos: { ...mark, denom: 'ibc/AB12' },
      },
    ])
  })

  it('come from the zero address when they are made and go there when they are burnt', () => {
    const [made, burnt] = tokens(
      event('coinbase', { minter: alice, amount: '5atest' }),
      event('burn', { burner: alice, amount: '5atest' }),
    )
    expect(made?.args).toEqual({ from: zero, to: toHex(account(1)), value: 5n })
    expect(burnt?.args).toEqual({ from: toHex(account(1)), to: zero, value: 5n })
  })

  it('have the last 20 bytes of a long address, and its text in the mark', () => {
    const long = bech32(account(3, 32))
    const [log] = tokens(event('transfer', { recipient: long, sender: alice, amount: '1atest' }))
    expect(log?.args.to).toBe(toHex(account(3)))
    expect(log?.cosmos.recipient).toBe(long)
  })

  it('are left out where an event is not what the bank writes', () => {
    const wrong = [
      { recipient: bob, sender: alice, amount: '' },
      { recipient: bob, sender: alice, amount: 'atest' },
      { recipient: bob, sender: alice, amount: '-1atest' },
      { recipient: bob, sender: alice, amount: `${2n ** 256n}atest` },
      { recipient: bob, sender: 'nobody', amount: '1atest' },
      { recipient: `${bob}x`, sender: alice, amount: '1atest' },
      { recipient: bob, amount: '1atest' },
    ]
    for (const attributes of wrong) expect(tokens(event('transfer', attributes as never))).toEqual([])
    expect(tokens(event('coin_spent', { spender: alice, amount: '1atest' }))).toEqual([])
    const largest = { recipient: bob, sender: alice, amount: `${2n ** 256n - 1n}atest` }
    expect(tokens(event('transfer', largest))[0]?.args.value).toBe(2n ** 256n - 1n)
  })
})

describe('transfers between chains', () => {
  const osmo = bech32(account(9), 'osmo')
  const packet = (data: unknown) => ({
    packet_data: JSON.stringify(data),
    packet_src_port: 'transfer',
    packet_src_channel: 'channel-4',
    packet_dst_port: 'transfer',
    packet_dst_channel: 'channel-7',
  })
  const sent = { denom: 'aevmos', amount: '12', sender: alice, receiver: osmo, memo: 'to you' }
  const received = { ...sent, denom: 'uosmo', sender: osmo, receiver: alice }
  const taken = event('fungible_token_packet', { module: 'transfer', success: 'true' })

  it('are shown when they are sent, in the form of the ICS-20 precompile', () => {
    expect(tokens(event('send_packet', packet(sent)))).toEqual([
      {
        address: addressOf('aevmos'),
        eventName: 'IBCTransfer',
        args: {
          sender: toHex(account(1)),
          receiver: keccak256(stringToBytes(osmo)),
          sourcePort: 'transfer',
          sourceChannel: 'channel-4',
          denom: 'aevmos',
          amount: 12n,
          memo: 'to you',
        },
        cosmos: {
          event: 'send_packet',
          denom: 'aevmos',
          sender: alice,
          receiver: osmo,
          port: 'transfer',
          channel: 'channel-4',
        },
      },
    ])
  })

  it('name a voucher as the bank of this chain does', () => {
    const path = 'transfer/channel-4/uosmo'
    const [log] = tokens(event('send_packet', packet({ ...sent, denom: path })))
    expect(log?.args.denom).toBe(ibcDenom(path))
    expect(log?.address).toBe(addressOf(ibcDenom(path)))
    const factory = `factory/${alice}/gold`
    expect(tokens(event('send_packet', packet({ ...sent, denom: factory })))[0]?.args.denom).toBe(factory)
  })

  it('are shown when they are received and taken', () => {
    const [log, ...rest] = tokens(event('recv_packet', packet(received)), taken)
    expect(rest).toEqual([])
    expect(log).toMatchObject({
      eventName: 'IBCReceive',
      address: addressOf(ibcDenom('transfer/channel-7/uosmo')),
      args: {
        sender: keccak256(stringToBytes(osmo)),
        receiver: toHex(account(1)),
        destinationChannel: 'channel-7',
        denom: ibcDenom('transfer/channel-7/uosmo'),
        amount: 12n,
      },
    })
    const home = event('recv_packet', packet({ ...received, denom: 'transfer/channel-4/aevmos' }))
    expect(tokens(home, taken)[0]?.address).toBe(addressOf('aevmos'))
  })

  it('are read in hexadecimal too, as newer versions have them', () => {
    const { packet_data, ...rest } = packet(sent)
    const hex = { ...rest, packet_data_hex: Buffer.from(packet_data).toString('hex') }
    expect(tokens(event('send_packet', hex))).toEqual(tokens(event('send_packet', packet(sent))))
  })

  it('are not told where tokens were rejected, acknowledged, or are of another application', () => {
    const refused = event('fungible_token_packet', { module: 'transfer', success: 'false' })
    expect(tokens(event('recv_packet', packet(received)), refused)).toEqual([])
    expect(tokens(event('recv_packet', packet(received)))).toEqual([])
    expect(tokens(event('acknowledge_packet', packet(sent)), taken)).toEqual([])
    expect(tokens(event('send_packet', { ...packet(sent), packet_src_port: 'icahost' }))).toEqual([])
    for (const data of [null, 1, [], {}, { ...sent, amount: 12 }, { ...sent, denom: '' }])
      expect(tokens(event('send_packet', packet(data)))).toEqual([])
    expect(tokens(event('send_packet', { ...packet(sent), packet_data: '{' }))).toEqual([])
  })

  it('belong to their packet where a relayer brings several', () => {
    const other = { ...received, amount: '99' }
    const found = tokens(
      event('recv_packet', packet(received)),
      taken,
      event('recv_packet', packet(other)),
      taken,
    )
    expect(found.map(({ args }) => args.amount)).toEqual([12n, 99n])
  })
})
