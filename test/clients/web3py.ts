import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Materials } from './materials.ts'
import type { Target } from './target.ts'
import { balancesSlot, supply } from './token.ts'

/** `PYTHON` names another interpreter. */
const python = process.env.PYTHON ?? 'python3'
const script = fileURLToPath(new URL('web3py.py', import.meta.url))

/** Why web3.py cannot be run here; undefined where it can. */
export const web3PyMissing = (): string | undefined => {
  const { status } = spawnSync(python, ['-c', 'import web3, eth_account'])
  return status === 0 ? undefined : `${python} with the package web3 is not installed`
}

/** The same as the other clients, in a process of Python. */
export const checkWeb3Py = async (target: Target, materials: Materials): Promise<void> => {
  const input = JSON.stringify({ ...target, ...materials, balancesSlot, supply: supply.toString() })
  execFileSync(python, [script], { input, stdio: ['pipe', 'pipe', 'inherit'], timeout: 60_000 })
}
