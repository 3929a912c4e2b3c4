// The balance of an account, proven: node balance.mjs URL HEIGHT:HASH ADDRESS
import { createLightProvider } from 'perihelion/light'
import { createPublicClient, custom, formatEther } from 'viem'

const [url, trusted = '', address] = process.argv.slice(2)
const [height, hash] = trusted.split(':')
const provider = createLightProvider({ urls: [url], trust: { height: Number(height), hash } })
provider.on('lie', ({ endpoint, problem }) => console.error(`${endpoint} lied: ${problem}`))

const client = createPublicClient({ transport: custom(provider) })
const { number, validators } = await provider.head()
const balance = await client.getBalance({ address, blockNumber: BigInt(number) })
console.log(`${formatEther(balance)} at block ${number}, signed by ${validators} validators`)
await provider.close()
