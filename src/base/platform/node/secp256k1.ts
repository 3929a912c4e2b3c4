import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { lazy } from '../../async/lazy.ts'
import { nobleUrl } from '../../threads/builtFiles.ts'
import { curveOrder, type Secp256k1 } from '../signing.ts'

type Signing = Omit<Secp256k1, 'isPrivateKey'>

/** The functions of the native addon that are used. The fallback of that package (elliptic) is never loaded. */
interface NativeAddon {
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  ecdsaVerify(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean
}

const load = createRequire(import.meta.url)

const loadNative = (): Signing => {
  const addon: NativeAddon = load('secp256k1/bindings.js')
  return {
    recover: (hash, { compact, recovery }) => {
      try {
        return addon.ecdsaRecover(compact, recovery, hash, false).subarray(1)
      } catch {
        return undefined
      }
    },
    sign: (hash, privateKey) => {
      const { signature, recid } = addon.ecdsaSign(hash, privateKey)
      return { compact: signature, recovery: recid }
    },
    publicKey: (privateKey) => addon.publicKeyCreate(privateKey, false).subarray(1),
    verify: (hash, compact, publicKey) => {
      try {
        return addon.ecdsaVerify(compact, hash, publicKey)
      } catch {
        return false
      }
    },
  }
}

/** Loads what signs here, when it is first needed: many threads never sign nor recover. */
const loaded = lazy((): { readonly kind: 'native' | 'noble'; readonly signing: Signing } => {
  try {
    return { kind: 'native', signing: loadNative() }
  } catch {
    process.emitWarning(
      `secp256k1 has no native build for ${process.platform}-${process.arch}: signatures are made and recovered by noble, in JavaScript, many times slower`,
    )
    return { kind: 'noble', signing: load(fileURLToPath(nobleUrl)).nobleSecp256k1 }
  }
})

const zeroKey = Buffer.alloc(32)
const orderBytes = Buffer.from(curveOrder.toString(16), 'hex')

/** Which of the two signs in this process. */
export const secp256k1Kind = (): 'native' | 'noble' => loaded().kind

export const secp256k1: Secp256k1 = {
  recover: (hash, signature) => loaded().signing.recover(hash, signature),
  sign: (hash, privateKey) => loaded().signing.sign(hash, privateKey),
  publicKey: (privateKey) => loaded().signing.publicKey(privateKey),
  verify: (hash, compact, publicKey) => loaded().signing.verify(hash, compact, publicKey),
  isPrivateKey: (privateKey) => {
    if (privateKey.length !== 32) return false
    const key = Buffer.from(privateKey.buffer, privateKey.byteOffset, privateKey.length)
    return key.compare(zeroKey) > 0 && key.compare(orderBytes) < 0
  },
}
