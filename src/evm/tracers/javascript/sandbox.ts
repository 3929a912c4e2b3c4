import quickJs from '@jitl/quickjs-wasmfile-release-sync'
import { newVariant } from 'quickjs-emscripten-core'
import { TraceError } from '../tracer.ts'
import { compileEngine } from './compileEngine.ts'
import { type Engine, type EngineFunctions, type Loader, Realm, type Variant } from './realm.ts'

const plainVariant = quickJs as unknown as Variant // Node takes the package's ES module, whose default it is

/**
 * The memory of the guest. QuickJS has a lower limit, so that a script gets an error; but it does not count
 * all its allocations, so that this size is the real bound.
 */
const memoryPages = 1024

/** Discards the engine's output, because a script can make it print anything. */
const quiet = { print: () => {}, printErr: () => {} }

/**
 * The engine, loaded once in a worker: WebAssembly in a memory of a fixed size, with one function of the
 * host.
 */
export class Sandbox {
  readonly #engine: Engine
  readonly #functions: EngineFunctions
  readonly #memory: WebAssembly.Memory
  #isBroken = false

  private constructor(engine: Engine, functions: EngineFunctions, memory: WebAssembly.Memory) {
    this.#engine = engine
    this.#functions = functions
    this.#memory = memory
  }

  static async load(): Promise<Sandbox> {
    const memory = new WebAssembly.Memory({ initial: memoryPages, maximum: memoryPages })
    const variant = newVariant(plainVariant, {
      wasmModule: compileEngine,
      wasmMemory: memory,
      emscriptenModule: quiet as object,
    })
    const [load, Functions] = await Promise.all([variant.importModuleLoader(), variant.importFFI()])
    // The import is a function, or a module that holds it.
    const engine = await (('default' in load ? load.default : load) as Loader)()
    return new Sandbox(engine, new Functions(engine), memory)
  }

  /** Opens a realm for one trace, which uses the engine alone until it is closed. */
  open(deadline: () => number): Realm {
    if (this.#isBroken) throw new TraceError('an earlier script broke the engine')
    return new Realm(this.#engine, this.#functions, this.#memory, deadline)
  }

  close(realm: Realm): void {
    if (!realm.close()) this.#isBroken = true
  }
}
