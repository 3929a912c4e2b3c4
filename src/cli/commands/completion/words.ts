import { Command } from 'commander'
import { settingEntries } from '../../../config/settings/settings.ts'
import { settingsUsage } from '../../flags/flags.ts'
import type { CommandTable } from '../commandTable.ts'

/** What may stand after a command, or after one of its subcommands. */
export interface CompletedCommand {
  readonly name: string
  readonly about: string
  /** The flags with their dashes. */
  readonly flags: readonly string[]
  readonly subcommands: readonly CompletedCommand[]
  /** The words of its argument, where they are known. */
  readonly choices: readonly string[]
}

/** Reads the table of commands, and of each its flags and subcommands, as the program would run them. */
export const readCommands = async (table: CommandTable): Promise<readonly CompletedCommand[]> =>
  Promise.all(
    Object.entries(table).map(async ([name, { about, load }]) => {
      const command = new Command(name).description(about)
      const module = await load()
      module.define(command, table)
      return toCompleted(command)
    }),
  )

const settingFlags = settingEntries.map(([name]) => `--${name}`)

const toCompleted = (command: Command): CompletedCommand => ({
  name: command.name(),
  about: command.description(),
  flags: [
    ...command.options.map(({ long }) => long).filter((long) => long != null),
    ...(command.usage() === settingsUsage ? [...settingFlags, '--json', '--all'] : []),
    '--help',
  ],
  subcommands: command.commands.map(toCompleted),
  choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
})
