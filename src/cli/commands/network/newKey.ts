import type { Command } from 'commander'
import { makeNewKey } from '../../../service/home/newKey.ts'
import { configOf } from '../../flags/homeConfig.ts'
import { print, rendered } from '../../output/print.ts'
import { renderIdentity } from './identity.ts'

const help = `
Makes another validator key for a home, in the place of the one that it has or had. The old key stays beside it under another
name. The node must be stopped. The new key decides nothing until the admin of the validators adds it; the old one counts as
absent until the admin removes it (docs/operations.md, "Changing the key of a validator").
`

/** Defines `perihelion network new-key`. */
export const defineNewKey = (command: Command): void => {
  command
    .command('new-key')
    .description('Make another validator key for a home (the node must be stopped)')
    .option('--home <dir>', 'the home (default: as for start)')
    .addHelpText('after', help)
    .action(({ home }: { readonly home?: string }) => {
      const { identity, keptAt } = makeNewKey(configOf(home).home)
      print`${rendered(renderIdentity(identity))}`
      if (keptAt !== undefined) print`${'old key'.padEnd(18)} ${keptAt}\n`
    })
}
