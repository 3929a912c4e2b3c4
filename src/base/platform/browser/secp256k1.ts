import { nobleSecp256k1 } from '../nobleSecp256k1.ts'

export const secp256k1 = nobleSecp256k1
