import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { badConfig, badUsage } from '../../base/exit.ts'
import { createLogger } from '../../base/logging/log.ts'
import { loadConfig } from '../../config/load.ts'
import { createLogText } from '../output/logText.ts'
import { painter } from '../output/paint.ts'
import { print, printError, rendered } from '../output/print.ts'
import { isTextMode } from '../output/textMode.ts'
import { stopOnSignal } from '../serve/shutdown.ts'

interface LightFlags {
  readonly rpc: readonly string[]
  readonly trust?: string
  readonly listen: string
  readonly store?: string
  readonly maxAge: string
  readonly unproven: string
}

/** Defines `perihelion light`, a local node that believes none of the endpoints that it asks. */
export const define = (command: Command): void => {
  command
    .requiredOption('--rpc <url...>', 'nodes or gateways of a chain with validators, asked in this order')
    .option('--trust <height:hash>', 'a block that you know, or first-use (default: what --store has)')
    .option('--listen <host:port>', 'where HTTP and WebSocket are served', '127.0.0.1:8545')
    .option('--store <file>', 'where the newest proven block is kept between two runs')
    .option('--max-age <seconds>', 'how old the newest block may be', '60')
    .option(
      '--unproven <mode>',
      'reject what nothing proves ("refuse"), or pass it on and log it ("mark")',
      'refuse',
    )
    .action((flags: LightFlags) => runLight(flags))
}

const howToTrust =
  'ask a node of yours for perihelion_lightBlock ["latest"] and give its height and hash, or --trust first-use to believe the first answer'

const parseTrust = (text: string | undefined) => {
  if (text === undefined || text === 'first-use') return text
  const [, height, hash] = /^(\d{1,15}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (height === undefined || hash === undefined)
    throw badUsage(`--trust: got ${text}, wanted HEIGHT:HASH with 64 hex digits; ${howToTrust}`)
  return { height: Number(height), hash: `0x${hash}` }
}

const runLight = async (flags: LightFlags): Promise<void> => {
  const trust = parseTrust(flags.trust)
  const maxAge = Number(flags.maxAge)
  if (!(maxAge > 0)) throw badUsage(`--max-age: got ${flags.maxAge}, wanted seconds`)
  const { unproven } = flags
  if (unproven !== 'refuse' && unproven !== 'mark')
    throw badUsage(`--unproven: got ${unproven}, wanted "refuse" or "mark"`)
  // There is no home: a folder that is not there has no settings.
  const home = ['--home', join(tmpdir(), randomUUID())]
  const addresses = ['--json-rpc.address', flags.listen, '--json-rpc.ws-address', flags.listen]
  const { config } = loadConfig({ flags: [...home, ...addresses, '--json-rpc.explorer', 'off'], env: {} })
  const log = createLogger(
    'info',
    isTextMode(config)
      ? createLogText((text) => printError`${rendered(text)}`, {
          paint: painter(process.stderr),
          isVerbose: false,
          isToGreet: () => true,
        })
      : undefined,
  )
  const { startLightNode } = await import('../../service/light/lightNode.ts')
  if (trust === undefined && flags.store === undefined) throw badConfig(`--trust is missing: ${howToTrust}`)
  const node = await startLightNode(
    { urls: flags.rpc, trust, file: flags.store, maxAgeMs: maxAge * 1_000, unproven, howToTrust },
    config.jsonRpc,
    log,
  )
  stopOnSignal(() => node.close(), log)
  print`perihelion ready http=${node.url} ws=${node.url.replace(/^http/, 'ws')} block=${node.head.number} validators=${node.head.validators}\n`
}
