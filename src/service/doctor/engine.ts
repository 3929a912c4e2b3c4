import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/settings/settings.ts'
import { canInstall, locateProgram } from '../../engine/cometbft/process/engineBinary.ts'
import { configPath, hasValidatorKey, validatorKeyPath } from '../../engine/cometbft/process/home.ts'
import { readEngineConfig } from '../../engine/cometbft/process/readConfig.ts'
import { checkProgramVersion, engineVersion } from '../../engine/cometbft/process/version.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { askComet } from './upstreams.ts'

/** Looks at the engine of a node: its program, and its RPC where it should answer. */
export const checkEngine = async (config: Config, isRunning: boolean): Promise<readonly Finding[]> => {
  const { engine, abciAddress, home, engineRpc } = config
  if (engine !== 'cometbft') return [ok('engine', `${engine}: nothing else is needed`)]
  if (abciAddress !== undefined)
    return [await checkRpc(engineRpc, 'start that CometBFT, or correct --engine-rpc')]
  const program = await checkProgram(config.cometbft)
  const folder = join(home, 'engine')
  if (!existsSync(configPath({ folder }))) return [program]
  try {
    const { rpcUrl, remoteSigner } = readEngineConfig(folder)
    const found = [program, ...checkSigner(folder, remoteSigner)]
    return isRunning ? [...found, await checkRpc(rpcUrl, 'see the log of the node, which starts it')] : found
  } catch {
    // The checks of a start tell what is wrong with it.
    return [program]
  }
}

/** What is known of a remote signer without a connection: it is the signer that connects, to a node that runs. */
const checkSigner = (folder: string, address: string | undefined): readonly Finding[] => {
  if (address === undefined) return []
  if (!hasValidatorKey(folder))
    return [
      ok(
        'signer',
        `the remote signer on ${address} has the key of this node; /ready tells whether it answers`,
      ),
    ]
  return [
    warning(
      'signer',
      `the remote signer on ${address} signs, and ${validatorKeyPath(folder)} has a key too`,
      'if the signer has the same key, remove it here: two that have it can both sign',
    ),
  ]
}

const checkProgram = async (path: string): Promise<Finding> => {
  const program = locateProgram(path)
  if (program === undefined)
    return canInstall()
      ? warning(
          'engine',
          'CometBFT is not installed',
          `the first start builds ${engineVersion} with Go; it takes a few minutes`,
        )
      : problem(
          'engine',
          'CometBFT is not installed',
          `name the program with --cometbft, or install Go, with which ${engineVersion} is built`,
        )
  const notes: string[] = []
  try {
    await checkProgramVersion(program, (text) => notes.push(text))
  } catch (error) {
    return problem(
      'engine',
      (error as Error).message,
      `install CometBFT ${engineVersion} and name it with --cometbft`,
    )
  }
  const [note] = notes
  return note === undefined
    ? ok('engine', `CometBFT at ${program}`)
    : warning('engine', note, `install ${engineVersion}`)
}

const checkRpc = async (url: string, remedy: string): Promise<Finding> => {
  const { text, error } = await askComet(url)
  return error === undefined ? ok('engine', text) : problem('engine', text, remedy)
}
