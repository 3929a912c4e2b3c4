import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { formatBytes } from '../../base/encoding/figures.ts'
import { badUsage } from '../../base/exit.ts'
import { lockHome } from '../../base/lock/homeLock.ts'
import type { Config } from '../../config/settings/settings.ts'
import { hasChainFile } from '../../home/layout.ts'
import { readHomeMode } from '../../home/mode.ts'
import { carryOut, planReset, type ResetPlan } from '../../service/home/resetHome.ts'
import { findMode } from '../../service/settings/nodeConfig.ts'
import { configOf } from '../flags/homeConfig.ts'
import { canAsk, confirm } from '../output/confirm.ts'
import { print } from '../output/print.ts'

interface ResetFlags {
  readonly home?: string
  readonly yes?: boolean
  readonly signingRecord?: boolean
}

const help = `
Removes blocks, states, indexes, the pool and snapshots, and those of CometBFT. Keys, settings, tokens and the genesis stay.
The node must be stopped. A home with a genesis of its own stays one, with its engine: the next start begins the same chain
again, or that of another file (--genesis). A home of the dev chain may become anything, one of CometBFT stays CometBFT’s.

A validator keeps its record of what it signed, so that it can never sign a height of the same chain twice: it signs
nothing until the chain is past that height. Start the record over only with a chain that starts over for all validators.
`

/** Defines `perihelion reset`, which removes the chain of a home. */
export const define = (command: Command): void => {
  command
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--yes', 'do not ask')
    .option('--signing-record', "start the validator's record of signatures over too")
    .addHelpText('after', help)
    .action(async ({ home, yes = false, signingRecord = false }: ResetFlags) => {
      await runReset(configOf(home), yes, signingRecord)
    })
}

const runReset = async ({ home, genesis }: Config, yes: boolean, clearsRecord: boolean): Promise<void> => {
  if (!existsSync(home)) return say(`nothing to remove: ${home} does not exist`)
  const recorded = readHomeMode(home)
  // Also what cannot be read can be removed.
  const found =
    recorded === undefined && hasChainFile(home)
      ? await findMode(home, genesis !== undefined).catch(() => undefined)
      : undefined
  const kept = genesis === undefined ? [] : [genesis]
  const options = { home, kept, clearsRecord, mode: { recorded, found } }
  // Before the lock, which is a file: a folder that is not a home stays as it is.
  planReset(options)
  const unlock = lockHome(home)
  try {
    const plan = planReset(options)
    if (plan.removed.length === 0 && plan.record?.isCleared !== true && plan.mode === undefined)
      return say(`nothing to remove: ${home} has no chain`)
    if (!yes && !(await isWanted(home, plan))) return say('nothing was removed')
    carryOut(plan, (path, bytes) => say(`removed ${path} (${formatBytes(bytes)})`))
    sayRecord(plan)
    say(`reset ${home}: keys, settings and genesis are kept; the next start begins a new chain`)
  } finally {
    unlock()
  }
}

const sayRecord = ({ record }: ResetPlan): void => {
  if (record === undefined) return
  if (record.isCleared) say(`started ${record.path} over`)
  else if (record.height > 0)
    say(
      `kept ${record.path}: this validator signs nothing up to height ${record.height}; ` +
        'for a chain that starts over for all validators, run it with --signing-record',
    )
}

const isWanted = async (home: string, { removed, record }: ResetPlan): Promise<boolean> => {
  if (!canAsk()) throw badUsage('the chain would be removed: confirm it with --yes')
  const total = formatBytes(removed.reduce((sum, { bytes }) => sum + bytes, 0))
  const also = record?.isCleared ? ' and the record of signatures' : ''
  return confirm(`Remove the chain of ${home} (${total})${also}?`)
}

const say = (text: string): void => {
  print`${text}\n`
}
