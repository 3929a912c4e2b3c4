import assert from 'node:assert/strict'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, hexToBytes, type PrefixedHexString } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Rpc } from './rpc.ts'

interface ProofJson {
  readonly accountProof: readonly string[]
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly storageProof: readonly {
    readonly key: string
    readonly value: string
    readonly proof: readonly string[]
  }[]
}

const bytes = (hex: string): Uint8Array => hexToBytes(hex as PrefixedHexString)
const empty = keccak_256(RLP.encode(new Uint8Array(0)))

const read = async (
  root: Uint8Array,
  key: Uint8Array,
  proof: readonly string[],
): Promise<Uint8Array | null> => {
  // An empty trie has no node that could prove anything.
  if (Buffer.compare(root, empty) === 0 && proof.length === 0) return null
  return verifyMerkleProof(keccak_256(key), proof.map(bytes), { root } as never)
}

/** Checks eth_getProof against the state root of a block and against the results of other methods. */
export const verifyProof = async (rpc: Rpc, address: string, slots: readonly string[], block: string) => {
  const { stateRoot } = await rpc<{ stateRoot: string }>('eth_getBlockByNumber', block, false)
  const proof = await rpc<ProofJson>('eth_getProof', address, slots, block)
  const leaf = await read(bytes(stateRoot), bytes(address), proof.accountProof)
  assert.equal(await rpc('eth_getBalance', address, block), proof.balance)
  assert.equal(await rpc('eth_getTransactionCount', address, block), proof.nonce)
  if (leaf === null) {
    assert.equal(BigInt(proof.balance), 0n)
    assert.equal(BigInt(proof.nonce), 0n)
    return
  }
  const [nonce, balance, storageRoot, codeHash] = RLP.decode(leaf) as Uint8Array[]
  const integer = (value: Uint8Array | undefined): bigint =>
    BigInt(`0x${Buffer.from(value ?? []).toString('hex') || '0'}`)
  assert.equal(integer(nonce), BigInt(proof.nonce))
  assert.equal(integer(balance), BigInt(proof.balance))
  assert.equal(bytesToHex(storageRoot as Uint8Array), proof.storageHash)
  assert.equal(bytesToHex(codeHash as Uint8Array), proof.codeHash)
  const code = await rpc<string>('eth_getCode', address, block)
  assert.equal(bytesToHex(keccak_256(bytes(code))), proof.codeHash)
  for (const { key, value, proof: nodes } of proof.storageProof) {
    const slot = bytes(`0x${BigInt(key).toString(16).padStart(64, '0')}`)
    const stored = await read(storageRoot as Uint8Array, slot, nodes)
    const proven = stored === null ? 0n : integer(RLP.decode(stored) as Uint8Array)
    assert.equal(proven, BigInt(value))
    assert.equal(BigInt(await rpc<string>('eth_getStorageAt', address, key, block)), proven)
  }
}
