// What the page uses of Foundry's `cast`: `send TO SIGNATURE ARGS… --private-key K --rpc-url U` and `block-number --rpc-url U`.
import { createPublicClient, createWalletClient, defineChain, http, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const [command, ...rest] = process.argv.slice(2)
const plain = []
const flags = {}
for (let at = 0; at < rest.length; at++)
  if (rest[at].startsWith('--')) flags[rest[at].slice(2)] = rest[++at]
  else plain.push(rest[at])
const transport = http(flags['rpc-url'])
const reader = createPublicClient({ transport })
if (command === 'block-number') console.log(`${await reader.getBlockNumber()}`)
else {
  const [to, signature, ...args] = plain
  const abi = [parseAbiItem(`function ${signature}`)]
  const chain = defineChain({
    id: await reader.getChainId(),
    name: 'chain',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [flags['rpc-url']] } },
  })
  const wallet = createWalletClient({ account: privateKeyToAccount(flags['private-key']), chain, transport })
  const values = args.map((value, index) =>
    abi[0].inputs[index].type.startsWith('uint') ? BigInt(value) : value,
  )
  const hash = await wallet.writeContract({ address: to, abi, functionName: abi[0].name, args: values })
  const { status } = await reader.waitForTransactionReceipt({ hash })
  console.log(`status               ${status === 'success' ? '1 (success)' : '0 (failed)'}`)
  if (status !== 'success') process.exitCode = 1
}
