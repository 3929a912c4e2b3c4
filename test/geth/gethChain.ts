import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../support/freePort.ts'
import type { ChainFiles } from '../support/programs/chainFiles.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'

export interface GethOptions {
  /** The path of geth. */
  readonly geth: string
  /** An empty folder for its data. */
  readonly folder: string
  /** Namespaces that it serves. */
  readonly api?: string
  /** More flags of `geth`. */
  readonly flags?: readonly string[]
}

/** Every state of the chain is kept, so that calls and traces at any block are answered. */
const archive = ['--state.scheme=hash', '--gcmode=archive']
const startTimeoutMs = 60_000

const runGeth = (geth: string, args: readonly string[]): void => {
  try {
    execFileSync(geth, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer }
    throw new Error(`geth ${args[0]} failed: ${stderr?.toString().slice(-2_000)}`)
  }
}

/** geth on a chain that it took in and executed itself: no peers, no new blocks. */
export const serveInGeth = async (
  files: ChainFiles,
  { geth, folder, api = 'eth,net,web3,debug,txpool', flags = [] }: GethOptions,
): Promise<{ readonly client: RpcClient; close(): Promise<void> }> => {
  const common = ['--datadir', folder]
  runGeth(geth, ['init', ...common, '--state.scheme=hash', files.genesis])
  runGeth(geth, ['import', ...common, ...archive, files.chain])
  const [http, auth] = [await freePort(), await freePort()]
  const doors = ['--http', `--http.port=${http}`, `--http.api=${api}`, `--authrpc.port=${auth}`, '--port=0']
  const alone = ['--nodiscover', '--maxpeers=0', '--ipcdisable', '--nat=none']
  const child = spawn(geth, [...common, ...archive, '--syncmode=full', ...doors, ...alone, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-4_000)
  })
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  const client = createRpcClient(`http://127.0.0.1:${http}`)
  const deadline = Date.now() + startTimeoutMs
  while ((await client.send('eth_chainId', []).catch(() => undefined)) === undefined) {
    if (child.exitCode === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      continue
    }
    await close()
    throw new Error(`geth does not serve the chain: ${output}`)
  }
  return { client, close }
}
