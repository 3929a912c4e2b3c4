import type { Command } from 'commander'
import { printable } from '../../base/encoding/printable.ts'
import { ExitError } from '../../base/exit.ts'
import { ConfigError } from '../../config/configError.ts'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import { removalFlag } from '../../config/removalFlag.ts'
import { isGatewayHome } from '../../home/layout.ts'
import { examine } from '../../service/doctor/doctor.ts'
import { type Finding, problem } from '../../service/doctor/finding.ts'
import { loadNodeConfig } from '../../service/settings/nodeConfig.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { expandShortFlags } from '../flags/gatewayFlags.ts'
import { takeSwitch } from '../flags/switches.ts'
import { painter } from '../output/paint.ts'
import { json, print, rendered } from '../output/print.ts'
import { takeRemovalFlag } from '../serve/removalConsent.ts'

const help = `
Looks at what a start with the same settings needs, and changes nothing: Node.js, ports, disk, clock, limits, the home and
its data, the engine, and the nodes and the chain behind a gateway (where gateway.node or --node is given, or the home is a
gateway's). Ends with 1 if it finds a problem, otherwise with 0.

  --json              print the findings as JSON
  ${removalFlag}    look at a start with this flag, which may remove history
`

/** Defines `perihelion doctor`, which tells what is in the way of a start. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (args) => {
    const { rest, isGiven: isJson } = takeSwitch(args, '--json')
    const { flags, isGiven: removesHistory } = takeRemovalFlag(rest)
    const findings = await collect(flags, removesHistory)
    if (isJson) print`${json(findings, 2)}\n`
    else for (const finding of findings) print`${rendered(render(finding))}\n`
    const problems = findings.filter(({ level }) => level === 'problem').length
    if (!isJson) print`${summary(problems)}\n`
    if (problems > 0) process.exitCode = 1
  }).addHelpText('before', help)
}

const summary = (problems: number): string => {
  if (problems === 0) return 'no problem found'
  return problems === 1 ? '1 problem' : `${problems} problems`
}

/** Settings that contradict each other are findings too, in the words of a start. */
const collect = async (args: readonly string[], removesHistory: boolean): Promise<readonly Finding[]> => {
  const isGateway = args.some((argument) => /^--node(?:=|$)/.test(argument))
  const flags = isGateway ? expandShortFlags(args) : args
  const inputs = { flags, env: process.env }
  const loadGateway = (): LoadedConfig => loadConfig({ ...inputs, purpose: 'gateway' })
  try {
    const loaded = isGateway ? loadGateway() : await loadNodeConfig(inputs)
    const { home, gateway } = loaded.config
    if (gateway.node.length === 0 && !isGatewayHome(home))
      return await examine({ ...loaded, removesHistory }, 'node')
    return await examine({ ...loadGateway(), removesHistory }, 'gateway')
  } catch (error) {
    if (error instanceof ExitError) return [problem('home', error.message, 'do that, and look again')]
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((text) =>
      problem('settings', text, 'correct it; `perihelion config docs` has all settings'),
    )
  }
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const labelWidth = 8
const checkWidth = 11

/** Returns a finding in one line, and its remedy in another; both may quote a node. */
const render = ({ check, level, text, remedy }: Finding): string => {
  const label = painter(process.stdout)(colours[level], level.padEnd(labelWidth))
  const line = `${label} ${check.padEnd(checkWidth)} ${printable(text)}`
  return remedy === undefined
    ? line
    : `${line}\n${' '.repeat(labelWidth + checkWidth + 2)}→ ${printable(remedy)}`
}
