import type { Address, Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { initCode, runtimeCode } from '../../fuzz/programs.ts'
import { precompileAddresses, precompileInput } from '../../support/evm/precompileInputs.ts'
import { createRandom, type Random } from '../../support/random.ts'
import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { createGenesis, type GenesisAccount } from '../genesis.ts'
import { addresses, contractAccounts, initCodes, leaves } from './contracts.ts'

const chainId = 4_712
const sender = mnemonicToAccount('test test test test test test test test test test test junk')
const authorities = [1, 2, 3].map((number) =>
  privateKeyToAccount(`0x${number.toString(16).padStart(64, '0')}`),
)
const seed = 2026

const randomContracts = Array.from({ length: 24 }, (_, index) => new Uint8Array(20).fill(0xa0 + index))
const known = [...randomContracts, new Uint8Array(20).fill(0x99), new Uint8Array(20)]

const surroundings = (random: Random) => ({ random, fork: 'osaka' as const, addresses: known })

export const traceGenesis = (): object => {
  const random = createRandom(seed)
  const programs = randomContracts.map((address): [string, GenesisAccount] => [
    toHex(address),
    {
      balance: `0x${random.below(5_000).toString(16)}`,
      nonce: '0x1',
      code: toHex(runtimeCode(surroundings(random))),
      storage: { '0x01': '0x02', '0x03': '0x04' },
    },
  ])
  return createGenesis(chainId, {
    [sender.address]: { balance: '0xffffffffffffffffffff' },
    ...Object.fromEntries(authorities.map(({ address }) => [address, { balance: '0xde0b6b3a7640000' }])),
    ...contractAccounts(),
    ...Object.fromEntries(programs),
  })
}

interface Request {
  readonly to?: Address
  readonly data?: Hex
  readonly value?: bigint
  readonly gas: bigint
  readonly kind: 'plain' | 'list' | 'legacy' | 'code'
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

/** A call through forwarders to what is at the end of them. */
const through = (
  path: readonly string[],
  target: string,
  gas: bigint,
  value: bigint,
  input: string,
): Request => {
  let to = target
  let data = input
  for (const forwarder of [...path].reverse()) {
    data = word(gas) + word(BigInt(to)) + word(value) + data
    to = forwarder
  }
  return { to: to as Address, data: `0x${data}`, value, gas: 300_000n, kind: 'plain' }
}

const all = 2n ** 64n

const requests = (random: Random): Request[] => {
  const { forwarders, strictForwarders } = addresses
  const list: Request[] = []
  // Everything on its own, and below each kind of call.
  const names = Object.keys(leaves)
  for (const [index, leaf] of addresses.leaves.entries()) {
    // What runs until its gas is gone gets little, so that its log stays short.
    const isLong = names[index] === 'loops' || names[index] === 'overflow'
    const gas = isLong ? 12_000n : all
    list.push({ to: leaf as Address, gas: isLong ? 40_000n : 200_000n, kind: 'plain' })
    list.push(through([random.pick(forwarders)], leaf, gas, 0n, ''))
    const path = [random.pick(strictForwarders), random.pick(forwarders)]
    list.push(through(path, leaf, gas, random.pick([0n, 1n]), 'aabbccdd00'))
  }
  const writers = ['stores', 'logs', 'creates', 'destroys', 'transient', 'sends'].map(
    (name) => addresses.leaves[Object.keys(leaves).indexOf(name)] as string,
  )
  for (const writer of writers) list.push(through([forwarders[3] as string], writer, all, 0n, '5f5ff3'))
  // Out of gas at each level.
  for (let gas = 21_500n; gas < 90_000n; gas += 4_321n) {
    const path = [random.pick(forwarders), random.pick(strictForwarders), random.pick(forwarders)]
    list.push({ ...through(path, random.pick(writers), all, 0n, '5f5ff3'), gas: gas + 8_000n })
    list.push({ to: random.pick(writers) as Address, gas, kind: 'plain' })
    list.push(through([random.pick(forwarders)], random.pick(writers), gas / 4n, 0n, ''))
  }
  for (const code of initCodes) {
    const input = code.slice(2)
    const creators = ['creates', 'creates2'].map(
      (name) => addresses.leaves[Object.keys(leaves).indexOf(name)] as string,
    )
    if (input !== '') list.push({ data: `0x${input}`, gas: 6_000_000n, value: 1n, kind: 'plain' })
    for (const creator of creators) {
      list.push({ to: creator as Address, data: `0x${input}`, gas: 700_000n, kind: 'plain' })
      list.push({ to: creator as Address, data: `0x${input}`, gas: 6_000_000n, value: 2n, kind: 'plain' })
    }
  }
  list.push({
    to: addresses.leaves[Object.keys(leaves).indexOf('creates')] as Address,
    data: `0x${'00'.repeat(49_153)}`,
    gas: 3_000_000n,
    kind: 'plain',
  })
  for (const precompile of precompileAddresses)
    for (let times = 0; times < 2; times++) {
      const input = Buffer.from(precompileInput(precompile, random)).toString('hex')
      list.push(through([random.pick(forwarders)], `0x${precompile.toString(16)}`, all, 0n, input))
      list.push(through([random.pick(forwarders)], `0x${precompile.toString(16)}`, 2_000n, 0n, `${input}00`))
    }
  for (let count = 0; count < 6; count++)
    list.push({
      to: random.pick([sender, ...authorities]).address,
      value: 5n,
      gas: 21_000n + BigInt(count % 2) * 9_000n,
      kind: 'plain',
    })
  for (let count = 0; count < 10; count++)
    list.push({
      to: random.pick([authorities[0], authorities[1]])?.address as Address,
      data: '0x5f5ff300',
      gas: 250_000n,
      kind: 'code',
    })
  for (let count = 0; count < 90; count++)
    list.push({
      to: toHex(random.pick(randomContracts)) as Address,
      data: toHex(random.bytes(random.pick([0, 4, 36, 100]))) as Hex,
      gas: BigInt(30_000 + random.below(400_000)),
      value: random.pick([0n, 0n, 7n]),
      kind: random.pick(['plain', 'list', 'legacy', 'plain']),
    })
  for (let count = 0; count < 12; count++)
    list.push({ data: toHex(initCode(surroundings(random))) as Hex, gas: 400_000n, kind: 'plain' })
  return list
}

const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
const storageKeys = [1n, 2n, 5n].map((slot) => `0x${word(slot)}` as Hex)

/** Sends them all. Three and three share a block, which is made as soon as the first of them is there. */
export const sendTransactions = async (node: RpcClient): Promise<void> => {
  const random = createRandom(seed + 1)
  let nonce = 0
  const authorityNonces = authorities.map(() => 0)
  const sign = async ({ kind, ...request }: Request): Promise<Hex> => {
    const common = { chainId, nonce: nonce++, ...request }
    if (kind === 'legacy')
      return sender.signTransaction({ type: 'legacy', ...common, gasPrice: 100_000_000_000n })
    if (kind === 'list') {
      const accessList = [{ address: request.to ?? sender.address, storageKeys }]
      return sender.signTransaction({ type: 'eip2930', ...common, gasPrice: 100_000_000_000n, accessList })
    }
    if (kind === 'plain') return sender.signTransaction({ type: 'eip1559', ...common, ...fees })
    const index = random.below(2)
    const account = authorities[index] as (typeof authorities)[number]
    const address = random.pick([
      ...addresses.leaves.slice(0, 8),
      addresses.forwarders[0],
      `0x${'00'.repeat(20)}`,
    ]) as Address
    const isCurrent = random.chance(0.8)
    const authorization = await account.signAuthorization({
      chainId,
      address,
      nonce: (authorityNonces[index] as number) + (isCurrent ? 0 : 3),
    })
    if (isCurrent) authorityNonces[index] = (authorityNonces[index] as number) + 1
    return sender.signTransaction({ type: 'eip7702', ...common, ...fees, authorizationList: [authorization] })
  }
  const list = requests(createRandom(seed + 2))
  for (let start = 0; start < list.length; start += 3) {
    const signed: Hex[] = []
    for (const request of list.slice(start, start + 3)) signed.push(await sign(request))
    const sent = signed.reverse().map(async (raw, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 15))
      await node.call('eth_sendRawTransaction', raw)
    })
    await Promise.all(sent)
  }
}
