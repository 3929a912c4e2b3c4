import quickJs from '@jitl/quickjs-wasmfile-release-sync'
import { newVariant } from 'quickjs-emscripten-core'
import { TraceError } from '../tracer.ts'
import { Realm } from './realm.ts'

// The package's types are those of CommonJS, where the default export is a member; Node takes its ES module.
type Variant = (typeof quickJs)['default']
const plainVariant = quickJs as unknown as Variant

type Loader = Extract<Awaited<ReturnType<Variant['importModuleLoader']>>, (...args: never[]) => unknown>
export type Engine = Awaited<ReturnType<Loader>>
export type EngineFunctions = InstanceType<Awaited<ReturnType<Variant['importFFI']>>>

/**
 * All of the guest is in here. QuickJS bounds itself below that, so that a script learns of it; but it does not count
 * all that it takes, so that the end of this memory is what holds.
 */
const memoryPages = 1024

/** What the engine has to say about itself is for nobody: a script can make it say anything. */
const quiet = { print: () => {}, printErr: () => {} }

/** The engine, loaded once in a worker: WebAssembly in a memory of a fixed size, with no way out but one function. */
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
    const variant = newVariant(plainVariant, { wasmMemory: memory, emscriptenModule: quiet as object })
    const [load, Functions] = await Promise.all([variant.importModuleLoader(), variant.importFFI()])
    // A function, or a module that holds it.
    const engine = await (('default' in load ? load.default : load) as Loader)()
    return new Sandbox(engine, new Functions(engine), memory)
  }

  /** A world of its own, for one trace. It has the engine to itself until it is closed. */
  open(deadline: () => number): Realm {
    if (this.#isBroken) throw new TraceError('an earlier script broke the engine')
    return new Realm(this.#engine, this.#functions, this.#memory, deadline)
  }

  close(realm: Realm): void {
    if (!realm.close()) this.#isBroken = true
  }
}
