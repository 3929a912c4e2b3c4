import { CommanderError } from 'commander'
import { printable, printableLines } from '../base/encoding/printable.ts'
import { ExitError, exitCodes } from '../base/exit.ts'
import { endSpareWorker } from '../base/threads/builtFiles.ts'
import { GenesisError } from '../chain/config/gethJson.ts'
import { ConfigError } from '../config/configError.ts'
import { commands } from './commands/commands.ts'
import { handleOutputErrors, hideArguments } from './output/outputErrors.ts'
import { printError, rendered } from './output/print.ts'
import { createProgram } from './program.ts'
import { stopWithParent } from './serve/shutdown.ts'

// Before anything is loaded: the parent may be gone by the time that a command runs.
stopWithParent()
handleOutputErrors()

/** What is wrong with the command line, told at the end. */
const refusals: string[] = []

const program = createProgram((text) => refusals.push(hideArguments(text)))

/** What a file system says of a path, an operator's disk or the modes of files; others would be mistakes of ours. */
const fileErrors: ReadonlySet<string | undefined> = new Set([
  ...['EACCES', 'EDQUOT', 'EEXIST', 'EFBIG', 'EIO', 'EISDIR', 'ELOOP', 'EMFILE', 'ENAMETOOLONG', 'ENFILE'],
  ...['ENOENT', 'ENOSPC', 'ENOTDIR', 'ENOTEMPTY', 'EPERM', 'EROFS', 'EXDEV'],
])

const isFileError = (error: NodeJS.ErrnoException): boolean =>
  error.syscall !== undefined && fileErrors.has(error.code)

/** Whether it is the native part of LMDB that is missing, which npm installs for some platforms alone. */
const isMissingLmdb = (error: Error): boolean =>
  /No native build was found|Cannot find module '@?lmdb/.test(error.message)

/** Describes an error: one line if an operator can act on it, otherwise a stack, because it is a bug. Others may have worded it. */
const describeError = (error: unknown): { code: number; text: string } => {
  if (error instanceof ConfigError)
    return { code: exitCodes.badConfig, text: error.problems.map((problem) => printable(problem)).join('\n') }
  if (error instanceof ExitError) return { code: error.exitCode, text: printable(error.message) }
  if (error instanceof GenesisError) return { code: exitCodes.badFile, text: printable(error.message) }
  if (error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'uv_cwd')
    return {
      code: exitCodes.badFile,
      text: 'the working directory does not exist any more: change to another one',
    }
  if (error instanceof Error && isFileError(error))
    return { code: exitCodes.badFile, text: printable(error.message) }
  if (error instanceof Error && isMissingLmdb(error))
    return {
      code: exitCodes.internal,
      text:
        `LMDB, which keeps the data, is not installed for ${process.platform}-${process.arch}: npm has it for linux-x64, ` +
        'linux-arm64, linux-arm (glibc), darwin-x64, darwin-arm64, win32-x64 and win32-arm64, unless it is told to leave optional packages out',
    }
  return {
    code: exitCodes.internal,
    text: printableLines(error instanceof Error ? (error.stack ?? error.message) : String(error), ''),
  }
}

const run = async (): Promise<void> => {
  const [first, second] = process.argv.slice(2)
  const chosen = first === 'help' ? second : first
  for (const [name, { about, load }] of Object.entries(commands)) {
    const command = program.command(name).description(about)
    if (name === chosen) (await load()).define(command, commands)
  }
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
      const { rephrase } = await import('./flags/foreignOptions.ts')
      for (const text of refusals)
        printError`${rendered(rephrase(text, chosen).replace(/^error: /, 'perihelion: '))}`
    } else {
      const { code, text } = describeError(error)
      printError`perihelion: ${rendered(text)}\n`
      process.exitCode = code
    }
    await endSpareWorker('app')
  }
}

void run()
