import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import { GenesisError } from '../../chain/config/gethJson.ts'
import { createLiveConfig, type LiveChainConfig } from '../../chain/config/liveConfig.ts'
import { hashRules } from '../../chain/config/rulesHash.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { readForkSchedule, rulesSlot, scheduleContractAddress } from '../../chain/validators/schedule.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { ReadingOn } from '../../light/state/readingOn.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { unsupported } from '../lightError.ts'
import type { Head } from './head.ts'
import type { ProvenStates } from './states.ts'

interface KnownRules {
  readonly storageRoot: Uint8Array
  readonly config: LiveChainConfig
}

/** Returns rules by which a block can be run; throws if it is of a fork that is not known here. */
const usableAt = (config: LiveChainConfig, { header: { timestamp } }: Head): ChainConfig => {
  const unknown = config.unknownForks.find(({ time }) => time <= timestamp)
  if (unknown !== undefined)
    throw unsupported(`the fork ${unknown.name} is not known here: a newer version is needed`)
  return config
}

/**
 * The rules of the chain: an endpoint tells its configuration, and the state of the head has the hash of what no header has
 * (chain id, blob figures, limits) and the times of all forks.
 */
export class ProvenRules {
  readonly #states: ProvenStates
  #known: KnownRules | undefined

  constructor(states: ProvenStates) {
    this.#states = states
  }

  /** Returns the configuration at a head; rules of earlier blocks never change. */
  async at(endpoint: Endpoint, head: Head): Promise<ChainConfig> {
    const contract = await this.#states.read(endpoint, head, (state) => state.view(scheduleContractAddress))
    if (contract === undefined || equalBytes(contract.codeHash, emptyCodeHash))
      throw unsupported(
        'the state of this chain does not commit to its rules: results that depend on them cannot be proven',
      )
    const { storageRoot } = contract
    if (this.#known !== undefined && equalBytes(this.#known.storageRoot, storageRoot))
      return usableAt(this.#known.config, head)
    const config = await askProven(endpoint, 'perihelion_chainConfig', [], (answer) =>
      this.#prove(endpoint, head, answer),
    )
    this.#known = { storageRoot, config }
    return usableAt(config, head)
  }

  async #prove(endpoint: Endpoint, head: Head, answer: unknown): Promise<LiveChainConfig> {
    const { config, hash } = parse(answer)
    const schedule = await this.#readAll(endpoint, head, (state) => ({
      rules: state.storage(scheduleContractAddress, rulesSlot),
      // What an endpoint leaves out of its response must not hide the schedule.
      forks: readForkSchedule({ source: { perihelion: { validators: [] } } }, state),
    }))
    if (schedule.rules.every((byte) => byte === 0))
      throw unsupported(
        'the state of this older chain does not commit to its rules: results that depend on them cannot be proven',
      )
    if (!equalBytes(schedule.rules, hash))
      throw new UpstreamError(
        `its configuration is not the one of the chain, whose hash is ${toHex(schedule.rules)}`,
      )
    config.follow(schedule.forks)
    return config
  }

  async #readAll<Result>(endpoint: Endpoint, head: Head, run: (state: ReadingOn) => Result): Promise<Result> {
    for (;;) {
      const state = new ReadingOn(this.#states.at(head))
      const result = run(state)
      if (state.missing.length === 0) return result
      await this.#states.load(endpoint, head, state.missing)
    }
  }
}

const parse = (answer: unknown): { readonly config: LiveChainConfig; readonly hash: Uint8Array } => {
  try {
    const config = createLiveConfig(parseChainConfig(answer))
    return { config, hash: hashRules(config) }
  } catch (error) {
    if (!(error instanceof GenesisError)) throw error
    throw new UpstreamError(`its configuration cannot be read: ${error.message}`)
  }
}
