// A suite of tests in one process, each with a node of its own:
// `node suite.mjs <file of the library> <tests> <transactions and the call as JSON>`.
import { pathToFileURL } from 'node:url'

const [, , library, tests, json] = process.argv
const { raws, question } = JSON.parse(json)
const { createNode } = await import(pathToFileURL(library).href)

for (let test = 0; test < Number(tests); test++) {
  const node = await createNode({ listen: false, settings: { chainId: 1337n } })
  const request = (method, ...params) => node.provider.request({ method, params })
  for (const raw of raws) {
    const hash = await request('eth_sendRawTransaction', raw)
    while ((await request('eth_getTransactionReceipt', hash)) === null)
      await new Promise((resolve) => setImmediate(resolve))
  }
  const balance = await request('eth_call', question, 'latest')
  if (BigInt(balance) !== 7n) throw new Error(`a test saw ${balance}`)
  await node.close()
}
process.exit(0)
