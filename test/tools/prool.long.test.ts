import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { freePort } from '../support/freePort.ts'

/** A folder with the package prool, which viem's own tests start anvil with; `PROOL_FOLDER` names another one. */
const peers = process.env.PROOL_FOLDER ?? '/opt/peers/prool'
/** Its versions up to 0.0 and from 0.1 on. */
const instances = ['_lib', 'dist'].map((folder) =>
  join(peers, 'node_modules/prool', folder, 'instances/anvil.js'),
)
const program = fileURLToPath(new URL('../../dist/cli/anvil.js', import.meta.url))

interface Instance {
  start(): Promise<unknown>
  stop(): Promise<unknown>
  readonly status: string
}

/** prool needs this function of Node 22 and nothing else of it. */
const provideWithResolvers = (): void => {
  const promise = Promise as { withResolvers?: unknown }
  promise.withResolvers ??= () => {
    let settle: object = {}
    const made = new Promise((resolve, reject) => {
      settle = { resolve, reject }
    })
    return { promise: made, ...settle }
  }
}

test('prool starts it as anvil', async (ctx) => {
  const instance = instances.find((file) => existsSync(file))
  if (instance === undefined) return ctx.skip(`prool is not installed in ${peers} (PROOL_FOLDER)`)
  provideWithResolvers()
  const { anvil } = (await import(pathToFileURL(instance).href)) as { anvil(options: object): Instance }
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-prool-'))
  const binary = join(folder, 'anvil')
  symlinkSync(program, binary)
  const port = await freePort()
  const node = anvil({ binary, port, accounts: 3, chainId: 4321, gasLimit: 20_000_000, timestamp: undefined })
  try {
    await node.start()
    const client = createPublicClient({ transport: http(`http://127.0.0.1:${port}`) })
    expect(await client.getChainId()).toBe(4321)
    expect(await client.request({ method: 'eth_accounts' } as never)).toHaveLength(3)
    expect((await client.getBlock()).gasLimit).toBe(20_000_000n)
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
