import type { Command } from 'commander'
import { badUsage } from '../../../base/exit.ts'
import { isGatewayHome } from '../../../home/layout.ts'
import { configOf } from '../../flags/homeConfig.ts'
import { exportSnapshot } from './export.ts'
import { exportBlocks } from './exportBlocks.ts'
import { importSnapshot } from './import.ts'

interface ExportFlags {
  readonly home?: string
  readonly height?: string
}

interface ImportFlags {
  readonly home?: string
  readonly genesis?: string
  readonly trustHash?: string
}

/** Defines `perihelion snapshot export|import`. */
export const define = (command: Command): void => {
  command
    .command('export')
    .description(
      "Write a file to start another home from, also while a node or gateway runs: the state of a block, or a gateway's blocks",
    )
    .argument('<target>', 'a file, a folder, or a URL to which the file is sent by PUT')
    .option('--home <dir>', 'the home (default: as for start)')
    .option(
      '--height <number>',
      'the block, whose state must be kept; not of a gateway (default: the newest)',
    )
    .action(async (target: string, { home, height }: ExportFlags) => {
      if (height !== undefined && !/^[1-9]\d{0,15}$/.test(height))
        throw badUsage(`--height: got ${JSON.stringify(height)}, wanted the number of a block`)
      const config = configOf(home)
      if (!isGatewayHome(config.home))
        return exportSnapshot(config, target, height === undefined ? undefined : Number(height))
      if (height !== undefined)
        throw badUsage('--height: a gateway has no states, so that its snapshot has all of its blocks')
      await exportBlocks(config.home, target)
    })
  command
    .command('import')
    .description(
      'Begin a home with the state of a file, which is checked against a block hash that you trust',
    )
    .argument('<file>', 'the file')
    .option('--home <dir>', 'the home, which must have no blocks (default: as for start)')
    .option('--genesis <file>', "the chain's genesis file; needed where the home has none yet")
    .option('--trust-hash <hash>', 'the hash of the block, from somebody you trust')
    .action(async (file: string, { home, genesis, trustHash }: ImportFlags) => {
      if (trustHash !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(trustHash))
        throw badUsage('--trust-hash: wanted 0x and 64 hex digits')
      await importSnapshot(configOf(home), file, { genesis, trustHash: trustHash?.toLowerCase() })
    })
}
