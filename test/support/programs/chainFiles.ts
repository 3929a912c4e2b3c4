import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownPorts, run } from '../program.ts'
import { createRpcClient, type RpcClient } from '../rpc/rpcClient.ts'

/** A chain as `perihelion export` and `geth export` write it. */
export interface ChainFiles {
  readonly genesis: string
  readonly chain: string
}

export interface OwnChainOptions {
  /** An empty folder: the home and the files of the chain go there. */
  readonly folder: string
  /** geth's genesis JSON; undefined: the one of a first start. */
  readonly genesis?: object
  /** More flags of `perihelion start`. */
  readonly flags?: readonly string[]
  /** What happens on the chain, from its first block on. */
  readonly script: (node: RpcClient) => Promise<void>
}

const finish = async (...args: readonly string[]): Promise<void> => {
  const program = run(args)
  const code = await program.ended()
  if (code !== 0) throw new Error(`perihelion ${args[0]} ended with ${code}: ${program.stderr()}`)
}

/** Runs the built program for the time of the script, then writes its chain to files. */
export const makeChain = async (options: OwnChainOptions): Promise<ChainFiles> => {
  const { folder, genesis, flags = [], script } = options
  const home = join(folder, 'home')
  const first = join(folder, 'first.json')
  if (genesis !== undefined) writeFileSync(first, JSON.stringify(genesis))
  const program = run([
    'start',
    ...ownPorts(home),
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

/** Serves a chain from files by the built program, which takes it in first. `folder` is empty. */
export const serveChain = async (
  { genesis, chain }: ChainFiles,
  folder: string,
  flags: readonly string[] = [],
): Promise<{ readonly client: RpcClient; close(): Promise<void> }> => {
  await finish('import', '--genesis', genesis, chain, '--home', folder)
  const program = run(['start', ...ownPorts(folder), '--engine=none', ...flags])
  const { http = '' } = await program.ready()
  return {
    client: createRpcClient(http),
    close: async () => {
      program.child.kill('SIGTERM')
      await program.ended()
    },
  }
}
