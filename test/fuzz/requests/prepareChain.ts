import type { KnownTexts } from './values.ts'

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Creates a contract that stores the size of its input and answers it. */
const initCode = '0x6c366000553660005260206000f3600052600d6013f3'

/** Makes a few blocks on a dev chain; returns the texts with which requests meet something that is there. */
export const prepareChain = async (ask: Ask): Promise<KnownTexts> => {
  const accounts = (await ask('eth_accounts', [])) as readonly string[]
  const [from = '', to = ''] = accounts
  const hashes: unknown[] = []
  for (let count = 0; count < 3; count++)
    hashes.push(await ask('eth_sendTransaction', [{ from, to, value: '0x1' }]))
  hashes.push(await ask('eth_sendTransaction', [{ from, data: initCode, gas: '0x100000' }]))
  const blocks: unknown[] = []
  for (const number of ['0x0', '0x1', '0x2'])
    blocks.push(((await ask('eth_getBlockByNumber', [number, false])) as { hash: string }).hash)
  const filters = [await ask('eth_newBlockFilter', []), await ask('eth_newFilter', [{}])]
  return [...accounts.slice(0, 3), ...hashes, ...blocks, ...filters, '0x1', 'latest'].map(String)
}
