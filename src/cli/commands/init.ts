import type { Command } from 'commander'
import { printable } from '../../base/encoding/printable.ts'
import { badUsage } from '../../base/exit.ts'
import { loadConfig } from '../../config/load.ts'
import { initHome, type NewHome } from '../../service/home/initHome.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { takeOption } from '../flags/switches.ts'
import { print, rendered } from '../output/print.ts'
import { renderIdentity } from './network/identity.ts'

const help = `
Makes a home and starts nothing: what it is (--engine solo or cometbft, --genesis FILE), its keys, app.toml with the other
settings that are given, and CometBFT's configuration. A first start does the same. A home for CometBFT without a genesis
waits for one: give it to the first start.

  --moniker <name>    the name of the node among its peers
`

/** Defines `perihelion init`, which makes a home. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (args) => {
    const { rest, value: moniker } = takeOption(args, '--moniker')
    if (moniker !== undefined && !/^[\x20-\x7e]{1,70}$/.test(moniker))
      throw badUsage('--moniker: wanted 1 to 70 printable characters')
    const made = await initHome(loadConfig({ flags: rest, env: process.env, purpose: 'node' }), moniker)
    print`${rendered(render(made))}`
  }).addHelpText('before', help)
}

const render = ({ home, mode: { engine, dev, chainId, genesisHash }, identity }: NewHome): string => {
  const genesis = genesisHash ?? (dev ? 'dev' : 'none yet: the first start names it with --genesis')
  const rows = [
    ['home', home],
    ['engine', engine],
    ['genesis', genesis],
    ...(chainId === undefined ? [] : [['chain id', `${chainId}`]]),
  ]
  const text = rows.map(([label = '', value]) => `${label.padEnd(18)} ${printable(value ?? '')}\n`).join('')
  return identity === undefined ? text : text + renderIdentity(identity)
}
