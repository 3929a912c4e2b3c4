import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postJson } from '../../support/clients.ts'
import { blockForks } from '../../support/forks.ts'
import { findGeth } from '../../support/programs/findProgram.ts'
import { calls, casesOf, surroundings } from './cases.ts'
import { scripts } from './scripts.ts'

/** Writes what geth answers to `geth.json`: `npm run long -- recordTracers`, with geth on the path or in GETH. */

const geth = findGeth() ?? 'geth'
const home = mkdtempSync(join(tmpdir(), 'geth-tracers-'))
const port = 18_550

/** Osaka from the first block on; what `--dev` has may be a fork that is not known here. */
const times = ['shanghai', 'cancun', 'prague', 'osaka']
const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
const genesis = {
  config: {
    chainId: 31_337,
    ...blockForks,
    ...Object.fromEntries(times.map((fork) => [`${fork}Time`, 0])),
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
    terminalTotalDifficulty: 0,
  },
  difficulty: '0x0',
  gasLimit: '0x3938700',
  baseFeePerGas: '0x3b9aca00',
  alloc: {},
}
const genesisFile = join(home, 'genesis.json')
writeFileSync(genesisFile, JSON.stringify(genesis))
const initialized = spawnSync(geth, ['init', '--datadir', home, genesisFile], { stdio: 'ignore' })
if (initialized.status !== 0) throw new Error(`${geth} does not take the genesis`)
const child = spawn(
  geth,
  [
    ...['--datadir', home, '--nodiscover', '--maxpeers', '0', '--port', '0', '--authrpc.port', `${port + 1}`],
    ...['--http', '--http.port', `${port}`, '--http.api', 'eth,debug', '--ipcdisable'],
  ],
  { stdio: 'ignore' },
)
const url = `http://127.0.0.1:${port}`

const call = async (method: string, params: readonly unknown[]) =>
  JSON.parse(await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as {
    readonly result?: unknown
    readonly error?: { readonly message: string }
  }

const waitForGeth = async (): Promise<void> => {
  for (let tries = 0; tries < 100; tries++) {
    const isThere = await call('eth_blockNumber', []).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${geth} does not answer`)
}

try {
  await waitForGeth()
  const answers: Record<string, unknown> = {}
  for (const { name, script, call: callName } of casesOf(scripts)) {
    const config = { tracer: scripts[script], ...surroundings }
    const { result, error } = await call('debug_traceCall', [calls[callName], 'latest', config])
    answers[name] = error === undefined ? { result } : { error: error.message }
  }
  writeFileSync(new URL('./geth.json', import.meta.url), `${JSON.stringify(answers, undefined, 1)}\n`)
  console.log(`${Object.keys(answers).length} answers of ${geth}`)
} finally {
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(home, { recursive: true, force: true })
}
