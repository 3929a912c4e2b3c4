import { createGateway, method, Quantity } from 'perihelion'

/** A method of our own beside those of Ethereum. It sees the chain through the same port as they do. */
const blockAge = method({
  name: 'example_blockAge',
  summary: 'Tells how many seconds ago the newest block was made.',
  access: 'public',
  params: [],
  result: { name: 'seconds', type: Quantity },
  examples: [{ name: 'a block of five seconds ago', params: [], result: '0x5' }],
  handler: (_, { chain }) => BigInt(Math.max(0, Math.floor(Date.now() / 1000) - chain.head().time)),
})

const [, , node = 'http://127.0.0.1:26657', grpc] = process.argv

const gateway = await createGateway({
  methods: [blockAge],
  settings: { gateway: { node: [node], ...(grpc === undefined ? {} : { grpc: [grpc] }) } },
})

console.log(`the chain behind ${node} is served at ${gateway.url}`)
console.log(
  `its newest block is ${await gateway.provider.request({ method: 'example_blockAge' })} seconds old`,
)

process.once('SIGINT', () => gateway.close())
process.once('SIGTERM', () => gateway.close())
