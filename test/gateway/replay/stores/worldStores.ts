import { bech32 } from '@scure/base'
import { toHex } from '../../../../src/base/encoding/hex.ts'
import { keccak } from '../block/signing.ts'
import type { Traits } from '../families.ts'
import type { ModelState } from '../model.ts'
import { any, blob, join, nested, text, uint } from '../wire.ts'
import { Multistore } from './multistore.ts'
import type { Leaf } from './trees.ts'

const key = (prefix: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  join(Uint8Array.of(prefix), ...parts)

/** How the modules of a family write a state into their stores. */
export const worldStores = (
  world: ModelState,
  { family, prefix, denom }: Traits,
  height: number,
): Multistore => {
  const isEthermint = family === 'ethermint'
  const acc: Leaf[] = []
  const bank: Leaf[] = [{ key: key(0, Buffer.from(denom)), value: Buffer.from('1') }]
  const evm: Leaf[] = [{ key: key(3), value: text(1, denom) }]
  for (const { address, nonce, balance } of world.accounts(height)) {
    const base = join(text(1, bech32.encode(prefix, bech32.toWords(address))), uint(3, 7), uint(4, nonce))
    const code = world.code(address, height)
    const codeHash = keccak(code)
    acc.push({
      key: key(1, address),
      value: isEthermint
        ? any('/ethermint.types.v1.EthAccount', join(nested(1, base), text(2, toHex(codeHash))))
        : any('/cosmos.auth.v1beta1.BaseAccount', base),
    })
    if (balance > 0n)
      bank.push({
        key: key(2, Uint8Array.of(20), address, Buffer.from(denom)),
        value: Buffer.from(`${balance}`),
      })
    if (code.length === 0) continue
    if (!isEthermint) evm.push({ key: key(4, address), value: codeHash })
    const codeKey = key(1, codeHash)
    if (!evm.some((leaf) => Buffer.compare(leaf.key, codeKey) === 0)) evm.push({ key: codeKey, value: code })
  }
  for (const { place, value } of world.slots(height)) evm.push({ key: key(2, place), value })
  return new Multistore(
    {
      acc,
      bank,
      evm,
      distribution: [{ key: key(0), value: blob(1, Uint8Array.of(1)) }],
      staking: [{ key: key(0x21), value: Uint8Array.of(9) }],
    },
    height,
  )
}
