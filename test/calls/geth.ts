// What geth answers to the random calls: `npx tsx test/calls/geth.ts <path of geth>` writes geth.json.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postJson } from '../support/clients.ts'
import { createCalls, createGenesis } from './randomCalls.ts'

const [geth] = process.argv.slice(2)
if (geth === undefined) throw new Error('the path of geth is missing')
const folder = mkdtempSync(join(tmpdir(), 'perihelion-geth-'))
const genesis = join(folder, 'genesis.json')
const genesisText = JSON.stringify(createGenesis())
writeFileSync(genesis, genesisText)
execFileSync(geth, ['init', '--datadir', folder, genesis], { stdio: 'ignore' })
const url = 'http://127.0.0.1:18946'
const ports = ['--http', '--http.port', '18946', '--authrpc.port', '18947', '--port', '0']
const child = spawn(
  geth,
  ['--datadir', folder, ...ports, '--nodiscover', '--maxpeers', '0', '--ipcdisable'],
  {
    stdio: 'ignore',
  },
)
const send = async (method: string, params: readonly unknown[]) =>
  JSON.parse(await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as {
    result?: unknown
    error?: object
  }
try {
  for (let attempt = 0; attempt < 120; attempt++) {
    if (await send('eth_chainId', []).catch(() => undefined)) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const { result: version } = await send('web3_clientVersion', [])
  const answered: object[] = []
  for (const { method, params } of createCalls(500)) {
    const { result, error } = await send(method, params)
    answered.push({ method, params, ...(error === undefined ? { result } : { error }) })
  }
  const { result: block } = (await send('eth_getBlockByNumber', ['0x0', false])) as {
    result: { hash: string }
  }
  const head = `"version":${JSON.stringify(version)},"genesisHash":"${block.hash}","genesis":${genesisText}`
  const lines = answered.map((call) => JSON.stringify(call)).join(',\n')
  const text = `{${head},"calls":[\n${lines}\n]}\n`
  writeFileSync(new URL('./geth.json', import.meta.url), text)
} finally {
  child.kill()
  await once(child, 'close')
  rmSync(folder, { recursive: true, force: true })
}
