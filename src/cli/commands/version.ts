import type { Command } from 'commander'
import { version } from '../../base/version.ts'

/** Defines `perihelion version`. */
export const define = (command: Command): void => {
  command.action(() => {
    process.stdout.write(`${version}\n`)
  })
}
