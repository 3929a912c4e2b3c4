import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readNewest } from '../../app/dataSummary.ts'
import { describeHolder, homeHolder } from '../../base/lock/homeLock.ts'
import type { Config } from '../../config/settings/settings.ts'
import { nodeKeyPath, validatorKeyPath } from '../../engine/cometbft/process/home.ts'
import { dataFile } from '../../home/layout.ts'
import { whyNotMade } from '../home/homeFolder.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Looks at a home: who may read it, who runs on it, and whether its data can be opened. */
export const checkHome = async (config: Config): Promise<readonly Finding[]> => {
  const { home } = config
  if (!existsSync(home)) return [checkNewHome(home)]
  const access = checkAccess(home)
  if (access.level === 'problem') return [access]
  return [access, ...checkSecrets(config), checkLock(home), ...(await checkData(home))]
}

/** Looks whether a home that is not there can be made. */
const checkNewHome = (home: string): Finding => {
  const reason = whyNotMade(home)
  return reason === undefined
    ? ok('home', `${home} does not exist yet: the first start makes it`)
    : problem('home', `${home} cannot be made: ${reason}`, 'choose another --home')
}

const othersMayUse = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0

const checkAccess = (home: string): Finding => {
  try {
    if (!statSync(home).isDirectory())
      return problem('home', `${home} is not a folder`, 'choose another --home')
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return problem(
      'home',
      `${home}: ${(error as Error).message}`,
      'give it to the user that runs the node (chown -R), or choose another --home',
    )
  }
  return othersMayUse(home)
    ? warning('home', `${home} is open to other users`, `run chmod 700 ${home}`)
    : ok('home', `${home} is only for its owner`)
}

/** Looks at the files that should be secret and that a start takes all the same. */
const checkSecrets = ({ home, jsonRpc }: Config): readonly Finding[] => {
  const engine = join(home, 'engine')
  const files = [
    ...filesIn(join(home, 'keystore')),
    validatorKeyPath(engine),
    nodeKeyPath(engine),
    ...(jsonRpc.keys === undefined ? [] : [jsonRpc.keys]),
  ]
  const open = files.filter((path) => existsSync(path) && othersMayUse(path))
  if (open.length === 0) return [ok('keys', 'no key file is open to other users')]
  return open.map((path) => warning('keys', `${path} is open to other users`, `run chmod 600 ${path}`))
}

const filesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

const checkLock = (home: string): Finding => {
  try {
    const holder = homeHolder(home)
    return ok(
      'lock',
      holder === undefined ? 'no node runs on this home' : `${describeHolder(holder)} runs on this home`,
    )
  } catch (error) {
    return problem(
      'lock',
      (error as Error).message,
      `see what ${join(home, 'perihelion.lock')} is, and remove it`,
    )
  }
}

/** A clock may be so far behind that of the node that made the newest block. */
const clockToleranceSeconds = 60

const checkData = async (home: string): Promise<readonly Finding[]> => {
  const path = dataFile(home)
  if (!existsSync(path)) return [ok('data', 'there is no chain yet')]
  try {
    const { head, time, problems } = await readNewest(path)
    if (problems.length > 0)
      return problems.map((text) =>
        problem(
          'data',
          `${path}: ${text}`,
          'run `perihelion db check` to see all of it, then restore a backup or sync again',
        ),
      )
    if (head === undefined || time === undefined) return [ok('data', `${path} opens and has no block yet`)]
    const ahead = time - Math.floor(Date.now() / 1000)
    const finding = ok('data', `${path} opens, newest block ${head}`)
    if (ahead <= clockToleranceSeconds) return [finding]
    const text = `the newest block is ${ahead} s ahead of this clock`
    return [finding, warning('clock', text, 'set the clock, unless dev methods moved the time of the chain')]
  } catch (error) {
    return [
      problem(
        'data',
        `${path}: ${(error as Error).message}`,
        'run `perihelion db check`, or restore a backup',
      ),
    ]
  }
}
