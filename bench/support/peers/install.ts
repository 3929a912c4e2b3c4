import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anvilPackage, cacheFolder, type Located, locatePeer } from './locate.ts'

/** The versions that are compared with. Install scripts do not run: the binary package is named itself. */
const npmPackages: Readonly<Record<string, readonly string[]>> = {
  anvil: ['@foundry-rs/anvil@1.7.1', `${anvilPackage}@1.7.1`],
  hardhat: ['hardhat@2.29.1'],
  ganache: ['ganache@7.9.2'],
}
const goPackages: Readonly<Record<string, string>> = {
  geth: 'github.com/ethereum/go-ethereum/cmd/geth@v1.17.6',
}

export const peerNames = ['anvil', 'geth', 'hardhat', 'ganache', 'evmd'] as const

const run = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void => {
  const { status, error } = spawnSync(file, args, {
    cwd: cacheFolder,
    env: { ...process.env, ...env },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`)
}

/** Returns a peer, which is installed into the cache if it is nowhere. */
export const installPeer = (name: string): Located => {
  const found = locatePeer(name)
  if (found !== undefined) return found
  mkdirSync(cacheFolder, { recursive: true })
  const [packages, go] = [npmPackages[name], goPackages[name]]
  if (packages !== undefined) {
    const manifest = join(cacheFolder, 'package.json')
    if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}\n')
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages])
  } else if (go !== undefined) run('go', ['install', go], { GOBIN: join(cacheFolder, 'bin') })
  const installed = locatePeer(name)
  if (installed === undefined)
    throw new Error(
      name === 'evmd' ? 'evmd: name its program in the variable EVMD' : `${name} could not be installed`,
    )
  return installed
}
