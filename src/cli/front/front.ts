import { CommanderError } from 'commander'
import { commands } from '../commands/commands.ts'
import { define as defineVersion } from '../commands/version.ts'
import { handleOutputErrors } from '../output/outputErrors.ts'
import { createProgram } from '../program.ts'

/** Answers a command line of `isAnsweredByFront`, as the program would; the build leaves the other commands out of this. */
export const answer = (words: readonly string[]): void => {
  handleOutputErrors()
  const program = createProgram(() => {})
  for (const [name, { about }] of Object.entries(commands)) {
    const command = program.command(name).description(about)
    if (name === 'version') defineVersion(command)
  }
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    // Commander's way to end after the help and the version.
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode
  }
}
