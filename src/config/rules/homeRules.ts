import { hasChainFile } from '../../home/layout.ts'
import { bindingMode, type KnownMode, readHomeMode } from '../../home/mode.ts'
import type { Config, SettingName } from '../settings/settings.ts'

export interface HomeRuleInputs {
  readonly config: Config
  /** What the home is already; undefined if it may still become anything. */
  readonly mode: KnownMode | undefined
  /** The settings that the user chose, with their sources. */
  readonly given: ReadonlyMap<SettingName, string>
}

/** A rule between the settings of a start and its home. Returns the problem in one line, or undefined. */
type HomeRule = (inputs: HomeRuleInputs) => string | undefined

const advice = 'leave it out, or use another --home'

/** Returns why the chain is not a dev chain, as text that follows a comma; undefined if it is or becomes one. */
const notDev = ({ config, mode, given }: HomeRuleInputs): string | undefined => {
  if (mode?.dev === false) return 'but the chain of this home is not a dev chain'
  return config.genesis === undefined
    ? undefined
    : `but the chain of the genesis ${config.genesis} (${given.get('genesis') ?? 'the home'}) is not a dev chain`
}

/** The settings of accounts that only a dev chain has. */
const devAccounts = ['accounts', 'mnemonic', 'balance'] as const

const rules: readonly HomeRule[] = [
  ({ config: { engine, home }, mode, given }) =>
    mode?.engine !== undefined && engine !== 'none' && engine !== mode.engine
      ? `engine: got ${engine} (${given.get('engine')}), but ${hasChainFile(home) ? 'the chain of this home is made by' : 'this home is prepared for'} ${mode.engine}: ${advice}`
      : undefined,

  (inputs) => {
    const reason = notDev(inputs)
    return inputs.config.dev === true && reason !== undefined
      ? `dev: got true (${inputs.given.get('dev')}), ${reason}: ${advice}`
      : undefined
  },

  (inputs) => {
    const { config, given } = inputs
    const name = devAccounts.find((each) => given.has(each))
    const reason = name && notDev(inputs)
    // No account contradicts nothing.
    if (reason === undefined || (config.accounts === 0 && given.has('accounts'))) return undefined
    const value = name === 'mnemonic' ? '(not shown)' : `${config[name as 'accounts' | 'balance']}`
    return `${name}: got ${value} (${given.get(name as SettingName)}), ${reason}: ${advice}`
  },

  ({ config: { chainId }, mode, given }) =>
    mode?.chainId !== undefined && given.has('chain-id') && chainId !== mode.chainId
      ? `chain-id: got ${chainId} (${given.get('chain-id')}), but the chain of this home has ${mode.chainId}: ${advice}`
      : undefined,

  ({ config: { genesis, home }, mode }) =>
    mode?.dev === false && genesis === undefined && !hasChainFile(home)
      ? 'genesis: none is given, and this home is not for a dev chain: name the file that it begins with (--genesis), or use another --home'
      : undefined,
]

/** Returns all contradictions between the settings and the home. */
export const checkHomeRules = (inputs: HomeRuleInputs): readonly string[] =>
  rules.flatMap((rule) => rule(inputs) ?? [])

/**
 * Returns the contradiction of a chain that is deleted on exit with a named home that is not a dev chain's: it would listen at the
 * addresses of a validator, with unlocked accounts. A home that nobody named is not used by such a chain, and says nothing.
 */
export const checkEphemeral = ({ config, given }: Omit<HomeRuleInputs, 'mode'>): readonly string[] => {
  const { ephemeral, home } = config
  if (!ephemeral || !given.has('home')) return []
  const mode = bindingMode(home, readHomeMode(home))
  if (mode?.dev !== false && mode?.engine !== 'cometbft') return []
  const kind = mode.dev === false ? 'is not a dev chain' : `is made by ${mode.engine}`
  return [
    `ephemeral: got true (${given.get('ephemeral') ?? 'default'}), but the chain of this home ${kind}: ${advice}`,
  ]
}
