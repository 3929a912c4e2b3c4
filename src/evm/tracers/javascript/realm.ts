import type quickJs from '@jitl/quickjs-wasmfile-release-sync'
import { InterruptedError } from '../../types.ts'
import { TraceError } from '../tracer.ts'

// The package's types are those of CommonJS, where the default export is a member.
export type Variant = (typeof quickJs)['default']
export type Loader = Extract<
  Awaited<ReturnType<Variant['importModuleLoader']>>,
  (...args: never[]) => unknown
>
export type Engine = Awaited<ReturnType<Loader>>
export type EngineFunctions = InstanceType<Awaited<ReturnType<Variant['importFFI']>>>

type ContextPointer = ReturnType<EngineFunctions['QTS_NewContext']>
type RuntimePointer = ReturnType<EngineFunctions['QTS_NewRuntime']>
type TextPointer = Parameters<EngineFunctions['QTS_NewString']>[1]

/** A value of the guest, as a pointer into the guest's memory. */
export type GuestValue = ReturnType<EngineFunctions['QTS_NewObject']>

/** The arguments of a host call. Reading them may run code of the guest. */
export interface HostCallArguments {
  number(index: number): number
  /** Returns the text of an argument, cut to `limit` bytes. */
  text(index: number, limit?: number): string
}

/** The result of a host call; undefined if there is none, or if it is in the shared bytes. */
export type HostCallResult = string | number | Uint8Array | undefined

const heapBytes = 48 * 2 ** 20
/** The stack of a script, enough to walk a tree of 1,024 calls. */
const stackBytes = 256 * 1024
/** The most bytes of a script's error message; longer ones are cut. */
export const maxMessageBytes = 2000

const nothing = 0 as GuestValue
const outOfMemory = 'the script ran out of memory'

/**
 * A JavaScript realm without access to the host: no object of the host goes in, and only text and numbers
 * come out.
 */
export class Realm {
  readonly #engine: Engine
  readonly #functions: EngineFunctions
  readonly #bytes: Uint8Array
  readonly #deadline: () => number
  readonly #runtime: RuntimePointer
  readonly #context: ContextPointer
  #ask: (hostCall: number, args: HostCallArguments) => HostCallResult = () => undefined
  /** The values that the host holds; all must be freed before the engine is closed. */
  readonly #held: GuestValue[] = []
  #isBroken = false
  /** The error that a host call threw, kept here because it must not pass through the engine's frames. */
  #thrown: { readonly error: unknown } | undefined

  constructor(
    engine: Engine,
    functions: EngineFunctions,
    memory: WebAssembly.Memory,
    deadline: () => number,
  ) {
    this.#engine = engine
    this.#functions = functions
    this.#bytes = new Uint8Array(memory.buffer)
    this.#deadline = deadline
    engine.callbacks = this.#callbacks()
    this.#runtime = functions.QTS_NewRuntime()
    functions.QTS_RuntimeSetMemoryLimit(this.#runtime, heapBytes)
    functions.QTS_RuntimeSetMaxStackSize(this.#runtime, stackBytes)
    functions.QTS_RuntimeEnableInterruptHandler(this.#runtime)
    // Zero enables all intrinsics of the language.
    this.#context = functions.QTS_NewContext(this.#runtime, 0 as never)
  }

  /** Returns the value of an expression. */
  evaluate(source: string): GuestValue {
    const text = this.#write(source)
    try {
      const run = () =>
        this.#functions.QTS_Eval(
          this.#context,
          text,
          this.#engine.lengthBytesUTF8(source),
          'tracer.js',
          0 as never, // no module
          0 as never, // global code
        )
      return this.#hold(this.#run(run))
    } finally {
      this.#engine._free(text)
    }
  }

  call(target: GuestValue, ...args: readonly GuestValue[]): GuestValue {
    const list = this.#allocate(4 * args.length)
    new Uint32Array(this.#bytes.buffer, list, args.length).set(args)
    try {
      return this.#hold(
        this.#run(() => this.#functions.QTS_Call(this.#context, target, target, args.length, list as never)),
      )
    } finally {
      this.#engine._free(list)
    }
  }

  /** Calls a function and ignores its result. */
  invoke(target: GuestValue): void {
    const value = this.#run(() => this.#functions.QTS_Call(this.#context, target, target, 0, 0 as never))
    this.#functions.QTS_FreeValuePointer(this.#context, value)
  }

  member(object: GuestValue, name: string): GuestValue {
    const key = this.text(name)
    return this.#hold(this.#run(() => this.#functions.QTS_GetProp(this.#context, object, key)))
  }

  /** Creates the one function of the host that the guest can call. */
  hostFunction(ask: (hostCall: number, args: HostCallArguments) => HostCallResult): GuestValue {
    this.#ask = ask
    return this.#hold(this.#functions.QTS_NewFunction(this.#context, 'ask', 3, false, 1 as never))
  }

  /** Creates an ArrayBuffer of the guest whose bytes the host sees too. */
  shared(size: number): { readonly value: GuestValue; readonly buffer: ArrayBuffer; readonly at: number } {
    const at = this.#allocate(size)
    this.#bytes.fill(0, at, at + size)
    const value = this.#hold(this.#functions.QTS_NewArrayBuffer(this.#context, at as never, size))
    return { value, buffer: this.#bytes.buffer as ArrayBuffer, at }
  }

  text(words: string): GuestValue {
    return this.#hold(this.#newText(words))
  }

  #newText(words: string): GuestValue {
    const text = this.#write(words)
    const value = this.#functions.QTS_NewString(this.#context, text)
    this.#engine._free(text)
    return value
  }

  #hold(value: GuestValue): GuestValue {
    this.#held.push(value)
    return value
  }

  number(value: GuestValue): number {
    return this.#functions.QTS_GetFloat64(this.#context, value)
  }

  /** Passes the text of a string to `use` as UTF-8; the bytes are valid only during the call. */
  read<Result>(value: GuestValue, use: (bytes: Uint8Array) => Result): Result {
    const text = this.#functions.QTS_GetString(this.#context, value)
    if ((text as number) === 0) throw new TraceError(outOfMemory)
    try {
      return use(this.#bytes.subarray(text, this.#bytes.indexOf(0, text)))
    } finally {
      this.#functions.QTS_FreeCString(this.#context, text)
    }
  }

  /** Closes the realm. Returns false if the engine is broken and cannot be used again. */
  close(): boolean {
    if (this.#isBroken) return false
    try {
      for (const value of this.#held) this.#functions.QTS_FreeValuePointer(this.#context, value)
      this.#functions.QTS_FreeContext(this.#context)
      this.#functions.QTS_FreeRuntime(this.#runtime)
      return true
    } catch {
      return false
    }
  }

  #run(act: () => GuestValue): GuestValue {
    let value: GuestValue
    try {
      value = act()
    } catch {
      // The WebAssembly trapped, or the host's stack ended before the guest's.
      this.#isBroken = true
      this.#checkTime()
      throw new TraceError(outOfMemory)
    }
    if (this.#thrown !== undefined) throw this.#thrown.error
    const error = this.#functions.QTS_ResolveException(this.#context, value)
    if ((error as number) === 0) return value
    this.#held.push(error, value)
    this.#checkTime()
    const words = this.read(error, (bytes) => Buffer.from(bytes.subarray(0, maxMessageBytes)).toString())
    throw new TraceError(words)
  }

  #checkTime(): void {
    if (performance.now() > this.#deadline()) throw new InterruptedError('deadline')
  }

  #callbacks(): Engine['callbacks'] {
    const functions = this.#functions
    const args = { count: 0, list: 0 as never, context: 0 as never as ContextPointer }
    const at = (index: number) => functions.QTS_ArgvGetJSValueConstPointer(args.list, index)
    const reader: HostCallArguments = {
      number: (index) => (index < args.count ? functions.QTS_GetFloat64(args.context, at(index)) : 0),
      text: (index, limit = heapBytes) => {
        if (index >= args.count) return ''
        const { context } = args
        const text = functions.QTS_GetString(context, at(index))
        if ((text as number) === 0) return ''
        const end = Math.min(this.#bytes.indexOf(0, text), text + limit)
        const words = Buffer.from(this.#bytes.subarray(text, end)).toString()
        functions.QTS_FreeCString(context, text)
        return words
      },
    }
    return {
      callFunction: (_asyncify, context, _self, count, list) => {
        // Reading the arguments may make the guest call the host again.
        const before = { ...args }
        try {
          Object.assign(args, { count, list, context })
          return this.#toGuest(this.#ask(reader.number(0), reader))
        } catch (error) {
          this.#thrown ??= { error }
          return nothing
        } finally {
          Object.assign(args, before)
        }
      },
      shouldInterrupt: () => (this.#thrown !== undefined || performance.now() > this.#deadline() ? 1 : 0),
      loadModuleSource: () => nothing as never,
      normalizeModule: () => nothing as never,
      freeHostRef: () => {},
    }
  }

  #toGuest(result: HostCallResult): GuestValue {
    if (result === undefined) return nothing
    if (typeof result === 'number') return this.#functions.QTS_NewFloat64(this.#context, result)
    if (typeof result === 'string') return this.#newText(result)
    const offset = this.#allocate(result.length)
    this.#bytes.set(result, offset)
    return this.#functions.QTS_NewArrayBuffer(this.#context, offset as never, result.length)
  }

  #write(words: string): TextPointer {
    const size = this.#engine.lengthBytesUTF8(words) + 1
    const text = this.#allocate(size)
    this.#engine.stringToUTF8(words, text as never, size)
    return text as TextPointer
  }

  #allocate(size: number): number {
    const pointer = this.#engine._malloc(Math.max(size, 1))
    if (pointer === 0) throw new TraceError(outOfMemory)
    return pointer
  }
}
