import { badUsage } from '../../base/exit.ts'

/** Takes a switch that is not a setting out of the arguments of a command that has all settings as flags. */
export const takeSwitch = (
  args: readonly string[],
  name: string,
): { readonly rest: readonly string[]; readonly isGiven: boolean } => {
  const rest = args.filter((argument) => argument !== name)
  return { rest, isGiven: rest.length < args.length }
}

/** Takes an option with a value that is not a setting out of such arguments. */
export const takeOption = (
  args: readonly string[],
  name: string,
): { readonly rest: readonly string[]; readonly value: string | undefined } => {
  const at = args.findIndex((argument) => argument === name || argument.startsWith(`${name}=`))
  const found = args[at]
  if (found === undefined) return { rest: args, value: undefined }
  const isSplit = found === name
  const value = isSplit ? args[at + 1] : found.slice(name.length + 1)
  if (value === undefined) throw badUsage(`${name}: has no value`)
  return { rest: args.toSpliced(at, isSplit ? 2 : 1), value }
}
