/** Short flags of the gateway for settings of its section. Those of lists may be repeated. */
const shortFlagNames = new Map([
  ['--node', { name: 'gateway.node', isList: true }],
  ['--grpc', { name: 'gateway.grpc', isList: true }],
  ['--from', { name: 'gateway.from', isList: false }],
  ['--chain-id', { name: 'gateway.chain-id', isList: false }],
  ['--bootstrap', { name: 'gateway.bootstrap', isList: false }],
  ['--cosmos-view', { name: 'gateway.cosmos-view', isList: false }],
])

/** Returns the arguments with the full names, and with one flag for each list. */
export const expandShortFlags = (args: readonly string[]): readonly string[] => {
  const rest: string[] = []
  const lists = new Map<string, string[]>()
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as string
    const equals = argument.indexOf('=')
    const flag = shortFlagNames.get(equals < 0 ? argument : argument.slice(0, equals))
    if (flag === undefined) {
      rest.push(argument)
      continue
    }
    const next = args[at + 1]
    const value = equals >= 0 ? argument.slice(equals + 1) : next?.startsWith('--') ? undefined : next
    if (equals < 0 && value !== undefined) at++
    if (!flag.isList || value === undefined)
      rest.push(`--${flag.name}${value === undefined ? '' : `=${value}`}`)
    else lists.set(flag.name, [...(lists.get(flag.name) ?? []), value])
  }
  return [...rest, ...[...lists].map(([name, values]) => `--${name}=${values.join(',')}`)]
}
