import type { Command } from 'commander'
import { version } from '../../base/version.ts'
import { print } from '../output/print.ts'

/** Defines `perihelion version`. */
export const define = (command: Command): void => {
  command.action(() => {
    print`${version}\n`
  })
}
