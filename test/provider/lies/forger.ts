import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { decodeHeader, encodeHeader } from '../../../src/chain/block/header.ts'
import { toSignedHeaderJson, toValidatorJson } from '../../../src/comet/data/cometJson.ts'
import { parseSignedHeader } from '../../../src/comet/data/commit.ts'
import { parseList, parseObject } from '../../../src/comet/data/fields.ts'
import type { NativeHeader } from '../../../src/comet/data/nativeBlock.ts'
import type { Random } from '../../support/random.ts'
import { commitOf, signerOf, toKeys } from '../signing.ts'

/** Validators of nobody. */
const own = toKeys(Array.from({ length: 4 }, signerOf))

/** The Ethereum header of an answer with another state root, and its hash. */
const forgedHeader = (header: unknown, random: Random) => {
  const rlp = encodeHeader({ ...decodeHeader(fromHex(String(header))), stateRoot: random.bytes(32) })
  return { rlp, appHash: keccak256(rlp) }
}

/** Forgeries of a response of `perihelion_lightBlock`, with keys of our own. */
export const forgeLightBlock = (result: unknown, random: Random): unknown => {
  const [first] = parseList(result, 'light blocks', 1)
  const { signedHeader, validators, header } = parseObject(first, 'a light block')
  const genuine = parseSignedHeader(signedHeader)
  const { rlp, appHash } = forgedHeader(header, random)
  const forged: NativeHeader = { ...genuine.header, appHash }
  const build = (signed: object, set: unknown): unknown => [
    { ...parseObject(first, 'a light block'), signedHeader: signed, validators: set, header: toHex(rlp) },
  ]
  const ownSet = own.set.source.map(toValidatorJson)
  const sign = (of: NativeHeader) => toSignedHeaderJson({ header: of, commit: commitOf(of, own.signers) })
  return random.pick([
    // The commit of the genuine header.
    () => build(toSignedHeaderJson({ header: forged, commit: genuine.commit }), validators),
    // The genuine signatures under the hash of the forged header.
    () => {
      const { blockId } = commitOf(forged, own.signers)
      return build(toSignedHeaderJson({ header: forged, commit: { ...genuine.commit, blockId } }), validators)
    },
    // Other validators, whom the header names.
    () => build(sign({ ...forged, validatorsHash: own.set.hash, nextValidatorsHash: own.set.hash }), ownSet),
    // Other validators, whom the header does not name.
    () => build(sign(forged), ownSet),
    // Signatures of others in the name of the genuine validators.
    () => build(sign(forged), validators),
    // Another chain of the same keys, and a later one.
    () => build(sign({ ...forged, chainId: 'other-1', validatorsHash: own.set.hash }), ownSet),
    () => build(sign({ ...forged, height: forged.height + 5, validatorsHash: own.set.hash }), ownSet),
  ])()
}
