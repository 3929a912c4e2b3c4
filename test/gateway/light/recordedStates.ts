import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { parseAbciQuery } from '../../../src/comet/data/abciQuery.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { cosmosStateRules } from '../../../src/light/state/cosmosState.ts'
import { ics23Proofs } from '../../../src/light/state/ics23Proofs.ts'
import { StateProofs } from '../../../src/light/state/stateProofs.ts'

/** What a real node (evmd 0.5.1) said of accounts, contracts and nobody, with its proofs. The first line has the next header. */
export interface RecordedQuery {
  readonly height?: number
  readonly commit?: unknown
  readonly path: string
  readonly data: string
  readonly reply: { readonly response: { readonly value?: string | null } }
}

/** Returns the value with another last bit. */
export const forge = (value: Uint8Array): Uint8Array =>
  value.map((byte, at) => (at === value.length - 1 ? byte ^ 1 : byte))

export const openRecordedStates = (
  [{ height = 0, commit } = {} as RecordedQuery, ...lines]: readonly RecordedQuery[],
  alter: (value: Uint8Array) => Uint8Array = (value) => value,
) => {
  const signed = parseCommitReply(commit)
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const proofs = new StateProofs({
    rules: cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', feeDenom: 'atest', decimals: 18 }),
    kind: ics23Proofs,
    highest: () => height,
    committed: () => ({ appHash: signed.header.appHash, hash: headerHash(signed.header) }),
    log: silent,
  })
  const find = (path: string, data: string) => {
    const found = lines.find((line) => line.path === path && line.data === data)
    if (found === undefined) throw new Error(`${path} ${data} is not recorded`)
    const proven = parseAbciQuery(found.reply, height)
    return { ...proven, value: alter(proven.value) }
  }
  const node = {
    name: 'evmd',
    prove: async (store: string, key: Uint8Array) => find(`store/${store}/key`, toHex(key).slice(2)),
    signedHeader: async () => signed,
  }
  const check = ({ path, data }: RecordedQuery) =>
    proofs.check(
      { path, request: fromHex(`0x${data}`), height },
      node,
      Promise.resolve(find(path, data).value),
    )
  return { proofs, check, questions: lines.filter(({ path }) => path.startsWith('/cosmos.evm')) }
}
