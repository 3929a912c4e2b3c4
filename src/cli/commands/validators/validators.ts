import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { printable } from '../../../base/encoding/printable.ts'
import { badUsage, ExitError, exitCodes } from '../../../base/exit.ts'
import { loadConfig } from '../../../config/load.ts'
import { showTarget } from '../../../follow/nodeClient.ts'
import { readBlockVotes } from '../../../service/home/blockVotes.ts'
import { describeEngineHome, isCometHome, readIdentity } from '../../../service/home/networkId.ts'
import { print, rendered, json as toJson } from '../../output/print.ts'
import { readValidators, type ValidatorList } from './readValidators.ts'

interface Flags {
  readonly home?: string
  readonly url?: string
  readonly json?: boolean
}

const help = `
Asks a running node. Files that \`perihelion network id --json\` wrote give validators their names: one.json is \`one\`. The
chain knows no names. "missed" counts the last 64 blocks, at most, and only those on which the validator was asked for its
vote. It is - where there is none yet, or where a node that is named by --url does not serve the votes (\`--json-rpc.api\`
without \`cosmos\`); of a home CometBFT is asked then.
`

/** Defines `perihelion validators`, which lists who decides the blocks of a chain. */
export const define = (command: Command): void => {
  command
    .argument('[files...]', 'files that `network id --json` wrote, for the names')
    .option('--home <dir>', 'the home of a node on this computer (default: as for start)')
    .option('--url <url>', 'the address of a node, or the path of its socket, in place of a home')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (files: readonly string[], { home, url, json = false }: Flags) => {
      if (home !== undefined && url !== undefined) throw badUsage('give --url or --home, not both')
      const named = new Map(
        files.map((file) => [readIdentity(file).validatorKeyHex, basename(file).replace(/\.json$/, '')]),
      )
      const { target, own, readVotes } = url === undefined ? ofHome(home) : { target: url }
      const list = await readValidators(target, readVotes).catch((error: Error) => {
        throw new ExitError(exitCodes.noUpstream, `${showTarget(target)}: ${error.message}`)
      })
      const nameOf = (pubkey: string): string | undefined =>
        named.get(pubkey) ?? (pubkey === own ? 'this node' : undefined)
      if (json)
        print`${toJson(
          list.validators.map((one) => ({ name: nameOf(one.pubkey) ?? null, ...one })),
          2,
        )}\n`
      else print`${rendered(render(list, nameOf))}`
    })
}

const ofHome = (wanted: string | undefined) => {
  const { config } = loadConfig({ flags: wanted === undefined ? [] : [`--home=${wanted}`], env: process.env })
  const { home } = config
  const target = config.ipcPath ?? join(home, 'perihelion.ipc')
  if (!existsSync(target))
    throw new ExitError(exitCodes.noUpstream, `no node runs on ${home}: start it, or give --url`)
  if (!isCometHome(home)) return { target }
  return {
    target,
    own: describeEngineHome(home).validatorKeyHex,
    readVotes: (heights: readonly number[]) => readBlockVotes(config, heights),
  }
}

const render = (
  { height, validators }: ValidatorList,
  nameOf: (pubkey: string) => string | undefined,
): string => {
  const rows = [
    ['name', 'power', 'missed', 'key', 'reward'],
    ...validators.map(({ pubkey, power, missed, counted, reward }) => [
      nameOf(pubkey) ?? '-',
      power,
      missed === undefined ? '-' : `${missed}/${counted}`,
      pubkey,
      reward ?? '-',
    ]),
  ]
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = rows.map((row) => row.map((text, at) => printable(text).padEnd(widths[at] ?? 0)).join('  '))
  const isUnknown = validators.some(({ missed }) => missed === undefined)
  return [
    ...lines.map((line) => line.trimEnd()),
    `${validators.length} validators at block ${height}`,
    ...(height < 2
      ? ['no block has votes yet']
      : isUnknown
        ? [
            'missed -: no votes were requested yet, or the node does not serve them (--json-rpc.api without cosmos; --home asks its CometBFT)',
          ]
        : []),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
