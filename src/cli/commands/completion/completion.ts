import { Argument, type Command } from 'commander'
import { print, rendered } from '../../output/print.ts'
import type { CommandTable } from '../commandTable.ts'
import { scripts } from './scripts.ts'
import { readCommands } from './words.ts'

const help = `
  bash: echo 'eval "$(perihelion completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(perihelion completion zsh)"' >> ~/.zshrc   (after compinit)
  fish: perihelion completion fish > ~/.config/fish/completions/perihelion.fish
`

/** Defines `perihelion completion`, which prints a script that completes commands and flags in a shell. */
export const define = (command: Command, table: CommandTable): void => {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action(async (shell: keyof typeof scripts) => {
      print`${rendered(scripts[shell](await readCommands(table)))}`
    })
}
