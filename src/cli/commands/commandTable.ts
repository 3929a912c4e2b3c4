import type { Command } from 'commander'

interface CommandModule {
  /** Gives a command its subcommands, options and action; `table` is for the command that lists them all. */
  define(command: Command, table: CommandTable): void
}

interface CommandEntry {
  /** What it does, for the list of commands. */
  readonly about: string
  /** Loads the command's module; the others are not loaded, so that each command starts at once. */
  readonly load: () => Promise<CommandModule>
}

/** The commands by their names. */
export type CommandTable = Readonly<Record<string, CommandEntry>>
