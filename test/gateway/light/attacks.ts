import { sign } from 'node:crypto'
import type { Random } from '../../support/random.ts'
import { mutateReply, pathsOf } from '../mutations/mutate.ts'
import { type CometHeader, headerHash, toRfc3339 } from '../replay/block/comet.ts'
import { base64, blockIdJson, headerJson, upper } from '../replay/block/cometJson.ts'
import {
  type ReplayValidator,
  validatorOf,
  validatorsHash,
  validatorsJson,
  voteBytes,
} from '../replay/block/validators.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'

/** What a node says of a height: the replies of `commit` and `validators`, as text. */
export interface Said {
  readonly commit: string
  readonly validators: string
}

/** Somebody who has the keys of one validator and as many of his own as he likes. */
type Attack = (chain: SyntheticChain, height: number, random: Random) => Said

const told = new WeakMap<SyntheticChain, Map<number, Said>>()

export const honest = (chain: SyntheticChain, height: number): Said => {
  const all = told.get(chain) ?? new Map<number, Said>()
  told.set(chain, all)
  const said = all.get(height) ?? { commit: chain.commit(height) ?? '', validators: chain.validators(height) }
  all.set(height, said)
  return said
}

const own = (random: Random, power = 1_000): ReplayValidator => validatorOf(random.bytes(32), power)

/** A header that is another than that of the chain. */
const forgeHeader = (chain: SyntheticChain, height: number, random: Random): CometHeader => {
  const { header } = chain.built(height) ?? {}
  if (header === undefined) throw new Error(`there is no block ${height}`)
  return { ...header, appHash: random.bytes(32), dataHash: random.bytes(32) }
}

interface Vote {
  readonly validator: ReplayValidator
  readonly flag?: number
  /** Whose key signs; undefined: its own. */
  readonly signer?: ReplayValidator
  readonly chainId?: string
}

const commitFor = (header: CometHeader, votes: readonly Vote[], random: Random): string => {
  const block = { hash: headerHash(header), partsHash: random.bytes(32) }
  const time = { seconds: header.time.seconds + 1, nanos: header.time.nanos }
  const texts = votes.map(({ validator, signer = validator, flag = 2, chainId = header.chainId }) => {
    const signature = sign(null, voteBytes({ ...header, chainId }, block, time), signer.key)
    return `{"block_id_flag":${flag},"validator_address":"${flag === 1 ? '' : upper(validator.address)}","timestamp":"${toRfc3339(time)}","signature":${flag === 1 ? 'null' : `"${base64(signature)}"`}}`
  })
  const commit = `{"height":"${header.height}","round":0,"block_id":${blockIdJson(block.hash, block.partsHash)},"signatures":[${texts.join(',')}]}`
  return `{"signed_header":{"header":${headerJson(header)},"commit":${commit}}}`
}

const attacks: Readonly<Record<string, Attack>> = {
  'a forged header, signed by one of the validators': (chain, height, random) => {
    const validators = chain.validatorsAt(height)
    const corrupt = random.pick(validators)
    const votes = validators.map((validator) =>
      validator === corrupt
        ? { validator }
        : { validator, flag: random.pick([1, 2, 3]), signer: own(random) },
    )
    const header = forgeHeader(chain, height, random)
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'one validator many times': (chain, height, random) => {
    const validators = chain.validatorsAt(height)
    const validator = random.pick(validators)
    const votes = validators.map(() => ({ validator }))
    const header = forgeHeader(chain, height, random)
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'a set of his own, with one of the validators': (chain, height, random) => {
    const corrupt = random.pick(chain.validatorsAt(height))
    const powers = [1, 1_000, 2 ** 40, 2 ** 53]
    const validators = [corrupt, own(random, random.pick(powers)), own(random), own(random)]
    const isNamed = random.chance(0.8)
    const forged = forgeHeader(chain, height, random)
    const header = { ...forged, ...(isNamed ? { validatorsHash: validatorsHash(validators) } : {}) }
    const votes = validators.map((validator) => ({ validator }))
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'the same validators with other powers': (chain, height, random) => {
    const all = chain.validatorsAt(height)
    const corrupt = random.pick(all)
    const validators = all.map((one) => ({ ...one, power: one === corrupt ? 2 ** 50 : 1 }))
    const forged = forgeHeader(chain, height, random)
    const header = random.chance(0.5) ? { ...forged, validatorsHash: validatorsHash(validators) } : forged
    const votes = validators.map((validator) => ({ validator, flag: validator.power > 1 ? 2 : 1 }))
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'votes of another chain': (chain, height, random) => {
    const validators = chain.validatorsAt(height)
    const votes = validators.map((validator) => ({ validator, chainId: 'another-1' }))
    const header = forgeHeader(chain, height, random)
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'votes for nothing': (chain, height, random) => {
    const validators = chain.validatorsAt(height)
    const votes = validators.map((validator) => ({ validator, flag: 3 }))
    const header = forgeHeader(chain, height, random)
    return { commit: commitFor(header, votes, random), validators: validatorsJson(height, validators) }
  },
  'the commit of the true block under another header': (chain, height, random) => {
    const { commit, validators } = honest(chain, height)
    const { signed_header: signed } = JSON.parse(commit)
    const header = JSON.parse(headerJson(forgeHeader(chain, height, random)))
    return { commit: JSON.stringify({ signed_header: { ...signed, header } }), validators }
  },
  'another order': (chain, height, random) => {
    const { commit, validators } = honest(chain, height)
    const [said, listed] = [JSON.parse(commit), JSON.parse(validators)]
    if (random.chance(0.5)) said.signed_header.commit.signatures.reverse()
    if (random.chance(0.5)) listed.validators.reverse()
    return { commit: JSON.stringify(said), validators: JSON.stringify(listed) }
  },
  'another height': (chain, height, random) => honest(chain, 1 + random.below(height)),
}

export const attackNames = Object.keys(attacks)

/** Returns what a lying node says of a height. */
export const attack = (chain: SyntheticChain, height: number, random: Random): readonly [string, Said] => {
  if (random.chance(0.5)) {
    const said = honest(chain, height)
    const part = random.pick(['commit', 'validators'] as const)
    const reply = JSON.parse(said[part]) as unknown
    return [`mutated ${part}`, { ...said, [part]: mutateReply(reply, pathsOf(reply), random) }]
  }
  const name = random.pick(attackNames)
  return [name, (attacks[name] as Attack)(chain, height, random)]
}
