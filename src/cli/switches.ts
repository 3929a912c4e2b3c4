/** Takes a switch that is not a setting out of the arguments of a command that has all settings as flags. */
export const takeSwitch = (
  args: readonly string[],
  name: string,
): { readonly rest: readonly string[]; readonly isGiven: boolean } => {
  const rest = args.filter((argument) => argument !== name)
  return { rest, isGiven: rest.length < args.length }
}
