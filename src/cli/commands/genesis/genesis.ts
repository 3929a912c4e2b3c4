import type { Command } from 'commander'
import { badUsage } from '../../../base/exit.ts'
import { ConfigError } from '../../../config/configError.ts'
import { readIdentity } from '../../../service/home/networkId.ts'
import { print } from '../../output/print.ts'
import { addValidator, type NewGenesisFlags, newGenesis, type ValidatorFlags } from './edit.ts'
import { checkGenesisFile, describeGenesis } from './inspect.ts'

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value]

const say = (lines: readonly string[]): void => {
  for (const line of lines) print`${line}\n`
}

interface AddValidatorFlags extends Omit<ValidatorFlags, 'key'> {
  readonly key?: string
  readonly id?: string
}

/** Defines `perihelion genesis new|add-validator|validate|show`. */
export const define = (command: Command): void => {
  command
    .command('new')
    .description('Write a genesis file with the system contracts of its rules')
    .argument('<file>', 'the file, which must not exist yet')
    .requiredOption('--chain-id <number>', 'the chain id (EIP-155)')
    .option('--fork-name <name>', 'the rules from block 0 on (default: osaka)')
    .option('--gas-limit <number>', 'the gas limit of blocks (default: 60000000)')
    .option(
      '--alloc <address=coins>',
      'the balance of an account in whole coins; may be repeated',
      collect,
      [],
    )
    .option('--admin <address>', 'the account that may change the validators')
    .action((file: string, flags: NewGenesisFlags) => {
      newGenesis(file, flags)
      say([`wrote ${file}`])
    })
  command
    .command('add-validator')
    .description('Add a validator to a genesis file, before any chain begins with it')
    .argument('<file>', 'the file')
    .option('--key <base64>', 'the public key, as `perihelion network id` prints it')
    .option('--id <file>', 'a file that `perihelion network id --json` wrote, in place of the key')
    .requiredOption('--reward <address>', 'where the tips of its blocks go')
    .option('--power <number>', 'its power among all (default: 10)')
    .action((file: string, { key, id, ...flags }: AddValidatorFlags) => {
      if ((key === undefined) === (id === undefined)) throw badUsage('wanted either --key or --id')
      const validatorKey = key ?? readIdentity(id ?? '').validatorKey
      if (validatorKey === undefined)
        throw badUsage(
          `${id} names no validator key, since a remote signer has it: give the public key with --key`,
        )
      const count = addValidator(file, { ...flags, key: validatorKey })
      say([`${file} has ${count} ${count === 1 ? 'validator' : 'validators'}`])
    })
  command
    .command('validate')
    .description('Tell everything that is wrong with a genesis file')
    .argument('<file>', 'the file')
    .action(async (file: string) => {
      const { problems, warnings } = await checkGenesisFile(file)
      say(warnings.map((text) => `warning: ${text}`))
      if (problems.length > 0) throw new ConfigError(problems.map((text) => `${file}: ${text}`))
      say([`${file}: a chain can begin with it`])
    })
  command
    .command('show')
    .description('Print what a genesis file says')
    .argument('<file>', 'the file')
    .action((file: string) => say(describeGenesis(file)))
}
