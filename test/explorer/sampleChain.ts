import { readFileSync } from 'node:fs'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { buildSolidity, contractOf } from '../../scripts/solidity.ts'

const source = readFileSync(new URL('Sample.sol', import.meta.url), 'utf8')

/** What anybody could write where people read it. */
export const hostileName = '<img src=x onerror=alert(1)>'
export const hostileSymbol = `<script>alert(2)</script>${'A'.repeat(5000)}`
/** It would be read backwards without its mark. */
export const bidiReason = `</p><b onclick=alert(3)>no</b> \u202Egnp.exe ${'x'.repeat(20_000)}`

const nobody = '0x0000000000000000000000000000000000000000'

/** Of the accounts with funds. */
const mnemonic = 'test test test test test test test test test test test junk'

const outputs = ['abi', 'evm.bytecode', 'evm.deployedBytecode']

export interface FillOptions {
  /** Whether transactions are signed here, for nodes that sign for nobody. */
  readonly signsItself?: boolean
}

/** Fills a chain with one of everything that the explorer shows. */
export const fillChain = async (url: string, { signsItself = false }: FillOptions = {}) => {
  // The optimiser makes one revert of many, of which only one has a line.
  const settings = { evmVersion: 'cancun', optimizer: { enabled: false } }
  const build = buildSolidity(source, settings, outputs)
  const token = contractOf(build, 'Token')
  const link = contractOf(build, 'Link')
  const chain = defineChain({
    id: 31337,
    name: 'test',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  // A busy machine takes its time, and what is sent again after a while would be sent twice.
  const transport = http(url, { timeout: 120_000, retryCount: 0 })
  const reader = createPublicClient({ chain, transport, pollingInterval: 50 })
  const [first, second] = [0, 1].map((addressIndex) => mnemonicToAccount(mnemonic, { addressIndex })) as [
    ReturnType<typeof mnemonicToAccount>,
    ReturnType<typeof mnemonicToAccount>,
  ]
  const [alice, bob] = [first.address, second.address]
  const writer = createWalletClient({ chain, account: signsItself ? first : alice, transport })
  const abi = token.abi as readonly unknown[]
  const receiptOf = (hash: Hex) => reader.waitForTransactionReceipt({ hash })
  const deploy = async (contract: typeof token, args: readonly unknown[]): Promise<Hex> => {
    const bytecode: Hex = `0x${contract.evm.bytecode.object}`
    const hash = await writer.deployContract({ abi: contract.abi as [], bytecode, args: args as [] })
    return (await receiptOf(hash)).contractAddress as Hex
  }
  const write = async (
    address: Hex,
    contract: typeof token,
    functionName: string,
    args: readonly unknown[],
  ) => {
    // With gas given, a transaction that fails is sent all the same.
    const gas = 2_000_000n
    const hash = await writer.writeContract({
      address,
      abi: contract.abi as [],
      functionName,
      args,
      gas,
    } as never)
    await receiptOf(hash)
    return hash
  }
  const gold = await deploy(token, ['Gold', 'GOLD'])
  const hostile = await deploy(token, [hostileName, hostileSymbol])
  let links = await deploy(link, [nobody, gold])
  for (let count = 0; count < 3; count++) links = await deploy(link, [links, gold])
  return {
    abi: JSON.stringify(abi),
    buildInfo: JSON.stringify(build),
    links,
    alice,
    bob,
    gold,
    hostile,
    transfer: await write(gold, token, 'transfer', [bob, 12_500_000_000_000_000_000n]),
    note: await write(gold, token, 'note', ['hello', [1n, 2n]]),
    deepFailure: await write(links, link, 'go', [5n]),
    innerError: await write(links, link, 'close', []),
    hostileTransfer: await write(hostile, token, 'transfer', [bob, 7n]),
    hostileFailure: await write(gold, token, 'fail', [bidiReason]),
    send: (value: bigint) => writer.sendTransaction({ to: bob, value }),
  }
}

export type SampleChain = Awaited<ReturnType<typeof fillChain>>
