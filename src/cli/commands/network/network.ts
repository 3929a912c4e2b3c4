import type { Command } from 'commander'
import { badUsage } from '../../../base/exit.ts'
import { describeEngineHome, isCometHome, readIdentity, toPeers } from '../../../service/home/networkId.ts'
import { raiseSignStateOf, signStateOf } from '../../../service/home/signState.ts'
import { configOf } from '../../flags/homeConfig.ts'
import { print, rendered, json as toJson } from '../../output/print.ts'
import { renderIdentity } from './identity.ts'
import { defineNewKey } from './newKey.ts'

interface NetworkFlags {
  readonly home?: string
  readonly json?: boolean
}

interface SignStateFlags extends NetworkFlags {
  readonly raise?: string
}

/** Defines `perihelion network id|peers|sign-state|new-key`. */
export const define = (command: Command): void => {
  defineNewKey(command)
  command
    .command('id')
    .description('Print who the node of a home is: what others need to dial it and to make it a validator')
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--json', 'print it as JSON')
    .action(({ home, json = false }: NetworkFlags) => {
      const identity = describeEngineHome(configOf(home).home)
      if (json) print`${toJson(identity, 2)}\n`
      else print`${rendered(renderIdentity(identity))}`
    })
  command
    .command('peers')
    .description('Print what --persistent-peers takes, from files that `network id --json` wrote')
    .argument('<files...>', 'the files; that of this node is skipped')
    .option('--home <dir>', 'the home of this node (default: as for start, if there is one)')
    .action((files: readonly string[], { home }: NetworkFlags) => {
      const folder = configOf(home).home
      // The files say all that is needed. A home is only there to leave the node of that home out.
      const own = home === undefined && !isCometHome(folder) ? undefined : describeEngineHome(folder).nodeId
      print`${toPeers(files.map(readIdentity), own)}\n`
    })
  command
    .command('sign-state')
    .description(
      'Print what the key of a home has signed last, or raise it, so that nothing below is signed again',
    )
    .option('--home <dir>', 'the home (default: as for start)')
    .option(
      '--raise <height>',
      'the height up to which nothing is signed any more (the node must be stopped)',
    )
    .option('--json', 'print it as JSON')
    .action(({ home, raise, json = false }: SignStateFlags) => {
      if (raise !== undefined && !/^[1-9]\d{0,14}$/.test(raise)) throw badUsage('--raise: wanted a height')
      const folder = configOf(home).home
      const { state, damagedAt } =
        raise === undefined
          ? { state: signStateOf(folder), damagedAt: undefined }
          : raiseSignStateOf(folder, Number(raise))
      if (json) print`${toJson({ ...state, damagedAt })}\n`
      else print`height ${state.height} round ${state.round} step ${state.step}\n`
      if (!json && damagedAt !== undefined) print`the damaged record is kept at ${damagedAt}\n`
    })
}
