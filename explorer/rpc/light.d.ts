/** What the page uses of the package's entry for light clients, which is built before it. */
declare module 'perihelion/light' {
  export interface LightHead {
    readonly number: number
    readonly hash: Uint8Array
    readonly signedAt: number
    readonly validators: number
    readonly power: bigint
  }

  interface Lie {
    readonly endpoint: string
    readonly problem: string
  }

  export interface LightProvider {
    request(args: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>
    on(event: 'lie', listener: (lie: Lie) => void): this
    head(): Promise<LightHead>
  }

  export const provenMethods: readonly string[]

  export const createLightProvider: (options: {
    readonly urls: readonly string[]
    readonly trust: { readonly height: number; readonly hash: string }
    readonly store: {
      load(): string | undefined
      save(text: string): void
    }
  }) => LightProvider
}
