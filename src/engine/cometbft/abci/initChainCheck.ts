import { toHex } from '../../../base/encoding/hex.ts'
import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import type { Validator } from '../../../chain/validators/validatorConfig.ts'
import { engineChainId } from '../process/genesisDoc.ts'
import type { AbciRequest } from './messages.ts'

export interface LocalGenesis {
  readonly config: ChainConfig
  /** The validators in `config.perihelion` of our genesis. */
  readonly configured: readonly Validator[]
  /** The validators of the contract in the genesis state. */
  readonly inContract: readonly Validator[]
}

/** Returns the first difference between the engine's chain and this one; undefined if they match. */
export const findInitChainMismatch = (
  { chainId, validators, initialHeight }: AbciRequest<'initChain'>,
  { config, configured, inContract }: LocalGenesis,
): string | undefined => {
  const wanted = engineChainId(config.chainId)
  if (chainId !== wanted) return `the engine's chain id is ${chainId}, this chain's is ${wanted}`
  if (initialHeight !== 1n) return `the engine begins at height ${initialHeight}, this chain at 1`
  const local = powersOf(configured)
  const ofEngine = new Map<string, bigint>()
  for (const { pubKey, power } of validators) {
    if (pubKey?.sum.case !== 'ed25519')
      return `the engine's genesis has a validator whose key is of kind ${pubKey?.sum.case ?? 'unknown'}, not ed25519`
    ofEngine.set(formatKey(pubKey.sum.value), power)
  }
  return (
    findDifference(
      { name: "the engine's genesis", powers: ofEngine },
      { name: "this chain's genesis", powers: local },
    ) ??
    findDifference(
      { name: 'the contract of validators', powers: powersOf(inContract) },
      { name: "this chain's genesis", powers: local },
    )
  )
}

/** Formats a key as both genesis files write it. */
const formatKey = (publicKey: Uint8Array): string =>
  `${Buffer.from(publicKey).toString('base64')} (${toHex(publicKey)})`

const powersOf = (validators: readonly Validator[]): ReadonlyMap<string, bigint> =>
  new Map(validators.map(({ publicKey, power }) => [formatKey(publicKey), power]))

interface NamedSet {
  readonly name: string
  readonly powers: ReadonlyMap<string, bigint>
}

const findDifference = (one: NamedSet, other: NamedSet): string | undefined => {
  for (const [has, lacks] of [
    [one, other],
    [other, one],
  ] as const)
    for (const [key, power] of has.powers)
      if (!lacks.powers.has(key))
        return `${has.name} has the validator ${key} with power ${power}, ${lacks.name} has not`
  for (const [key, power] of one.powers) {
    const expected = other.powers.get(key)
    if (power !== expected)
      return `the validator ${key} has power ${power} in ${one.name}, ${expected} in ${other.name}`
  }
  return undefined
}
