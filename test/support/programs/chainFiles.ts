import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isolatedFlags, runProgram } from '../program.ts'
import { createRpcClient, type RpcClient } from '../rpc/rpcClient.ts'

/** A chain as `perihelion export` and `geth export` write it. */
export interface ChainFiles {
  readonly genesis: string
  readonly chain: string
}

export interface PerihelionChainOptions {
  /** An empty folder for the home and the files of the chain. */
  readonly folder: string
  /** The genesis JSON of geth; undefined for that of a first start. */
  readonly genesis?: object
  /** Additional flags of `perihelion start`. */
  readonly flags?: readonly string[]
  /** The script that sends the transactions of the chain. */
  readonly script: (node: RpcClient) => Promise<void>
}

const finish = async (...args: readonly string[]): Promise<void> => {
  const program = runProgram(args)
  const code = await program.ended()
  if (code !== 0) throw new Error(`perihelion ${args[0]} ended with ${code}: ${program.stderr()}`)
}

/** Runs the built program while the script runs, then exports its chain to files. */
export const createChain = async (options: PerihelionChainOptions): Promise<ChainFiles> => {
  const { folder, genesis, flags = [], script } = options
  const home = join(folder, 'home')
  const first = join(folder, 'first.json')
  if (genesis !== undefined) writeFileSync(first, JSON.stringify(genesis))
  const program = runProgram([
    'start',
    ...isolatedFlags(home),
    ...(genesis === undefined ? [] : ['--genesis', first]),
    ...flags,
  ])
  try {
    const { http = '' } = await program.ready()
    await script(createRpcClient(http))
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
  }
  const files = join(folder, 'files')
  await finish('export', '--home', home, '--out', files)
  return { genesis: join(files, 'genesis.json'), chain: join(files, 'chain.rlp') }
}

/** Serves a chain from files with the built program, which imports it first. `folder` is empty. */
export const serveChain = async (
  { genesis, chain }: ChainFiles,
  folder: string,
  flags: readonly string[] = [],
): Promise<{ readonly client: RpcClient; close(): Promise<void> }> => {
  await finish('import', '--genesis', genesis, chain, '--home', folder)
  const program = runProgram(['start', ...isolatedFlags(folder), '--engine=none', ...flags])
  const { http = '' } = await program.ready()
  return {
    client: createRpcClient(http),
    close: async () => {
      program.child.kill('SIGTERM')
      await program.ended()
    },
  }
}
