/** The part of the WebAssembly API in use. It is a global of Node, but typed only in the DOM library. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }

  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }

  class Global {
    constructor(descriptor: { value: string; mutable?: boolean }, value?: number | bigint)

    value: number
  }

  type Imports = Record<string, Record<string, unknown>>

  class Instance {
    constructor(module: Module, imports?: Imports)
    readonly exports: Record<string, unknown>
  }

  function compile(bytes: Uint8Array): Promise<Module>
}
