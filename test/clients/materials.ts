import { createSampleBlob, type SampleBlob } from './blob.ts'
import { compileToken, type Token } from './token.ts'

/** What all clients work with. */
export interface Materials {
  readonly token: Token
  readonly blob: SampleBlob
}

export const prepareMaterials = (): Materials => ({ token: compileToken(), blob: createSampleBlob() })
