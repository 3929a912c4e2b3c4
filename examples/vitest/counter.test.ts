import { createNode, type ListeningNode } from 'perihelion'
import { createPublicClient, createWalletClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Adds one to its first slot and returns the sum, whatever it is called with. */
const runtime = '6000546001018060005560005260206000f3'
/** Returns the eighteen bytes above as the contract's code. */
const bytecode = `0x71${runtime}6000526012600ef3` as const

let node: ListeningNode

beforeAll(async () => {
  // On a free port, for tools that need a URL. Settings have the names of `perihelion start`, in camel case.
  node = await createNode({ settings: { chainId: 1337n } })
})

afterAll(() => node.close())

test('a contract counts', async () => {
  const transport = http(node.url)
  const wallet = createWalletClient({ transport })
  const client = createPublicClient({ transport })
  expect(await client.getChainId()).toBe(1337)
  const [account] = await wallet.getAddresses()
  if (account === undefined) throw new Error('the chain has no account')

  const deployed = await wallet.sendTransaction({ account, data: bytecode, chain: null })
  const { contractAddress } = await client.getTransactionReceipt({ hash: deployed })
  if (!contractAddress) throw new Error('nothing was deployed')
  await wallet.sendTransaction({ account, to: contractAddress, chain: null })
  await wallet.sendTransaction({ account, to: contractAddress, chain: null })

  const { data } = await client.call({ to: contractAddress })
  expect(BigInt(data ?? '0x')).toBe(3n)
  expect(await client.getStorageAt({ address: contractAddress, slot: '0x0' })).toMatch(/^0x0*2$/)
})
