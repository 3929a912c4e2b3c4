import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Header } from '../../chain/block/header.ts'
import { unsupported } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { createLiveConfig, type LiveChainConfig } from '../../chain/config/liveConfig.ts'
import { hashRules } from '../../chain/config/rulesHash.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { readForkSchedule, rulesSlot, scheduleContractAddress } from '../../chain/validators/schedule.ts'
import type { NodeStore } from '../../light/state/nodeStore.ts'
import { type MissingValue, ProvenState } from '../../light/state/provenState.ts'
import { ReadingOn } from '../../light/state/readingOn.ts'

/** Requests values with their proofs, and adds these to what is known. */
export type LoadValues = (values: readonly MissingValue[]) => Promise<void>

/** How often what is missing of the rules is requested: once for each of their parts, which name each other. */
const maxRounds = 16

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

const usableAt = (config: LiveChainConfig, { timestamp }: Header): ChainConfig => {
  const unknown = config.unknownForks.find(({ time }) => time <= timestamp)
  if (unknown !== undefined)
    throw unsupported(`the fork ${unknown.name} is not known here: a newer version is needed`)
  return config
}

/**
 * The rules by which blocks of the chain run. Nodes told them at the start, and the state commits to them: to the hash of what
 * no header has (chain id, blob figures, limits), and to the times of all forks.
 */
export class ChainRules {
  readonly #told: ChainConfig
  readonly #store: NodeStore
  #known: { readonly storageRoot: Uint8Array; readonly config: LiveChainConfig } | undefined

  constructor(told: ChainConfig, store: NodeStore) {
    this.#told = told
    this.#store = store
  }

  /** Returns the configuration at a block. Throws if the state commits to another one. */
  async at(header: Header, load: LoadValues): Promise<ChainConfig> {
    const state = new ProvenState(this.#store, header.stateRoot)
    await readAll(state, load, (reading) => reading.account(scheduleContractAddress))
    const contract = state.view(scheduleContractAddress)
    // A chain that was begun without the contract commits to nothing.
    if (contract === undefined || equalBytes(contract.codeHash, emptyCodeHash)) return this.#told
    const { storageRoot } = contract
    if (this.#known !== undefined && equalBytes(this.#known.storageRoot, storageRoot))
      return usableAt(this.#known.config, header)
    const { rules, forks } = await readAll(state, load, (reading) => ({
      rules: reading.storage(scheduleContractAddress, rulesSlot),
      // What a node leaves out of its response must not hide the schedule.
      forks: readForkSchedule({ source: { perihelion: { validators: [] } } }, reading),
    }))
    if (!isZero(rules) && !equalBytes(rules, hashRules(this.#told)))
      throw unsupported(
        'calls cannot be proven: the configuration that a node told at the start, or that of gateway.forks and ' +
          'gateway.chain-id, is not the one that the state of the chain commits to',
      )
    const config = createLiveConfig(this.#told)
    config.follow(forks)
    this.#known = { storageRoot, config }
    return usableAt(config, header)
  }
}

const readAll = async <Result>(
  state: ProvenState,
  load: LoadValues,
  run: (reading: ReadingOn) => Result,
): Promise<Result> => {
  for (let round = 0; ; round++) {
    const reading = new ReadingOn(state)
    const result = run(reading)
    if (reading.missing.length === 0) return result
    if (round === maxRounds) throw new Error('what was requested of the rules of the chain is still missing')
    await load(reading.missing)
  }
}
