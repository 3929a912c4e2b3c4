import type { TraceOutput } from '../../evm/tracers/output.ts'
import { StructLogger } from '../../evm/tracers/structLogger.ts'
import {
  type ResultTracer,
  type TraceContext,
  TraceError,
  type TracerFactory,
} from '../../evm/tracers/tracer.ts'
import { isScript } from '../../evm/tracers/tracerRegistry.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { TraceTask } from './traceTask.ts'

type TransactionContext = Omit<TraceContext, 'deadline' | 'memoryLimit'>

/** Writes the text of one task, with a tracer for each transaction. */
export class TraceWriter {
  readonly output: TraceOutput
  /** Whether the list of elements has some already. */
  hasElements = false
  readonly #task: TraceTask
  readonly #factory: TracerFactory | undefined
  readonly #clock: TraceDeadline

  /** Without a factory the opcode log is written. */
  constructor(
    task: TraceTask,
    factory: TracerFactory | undefined,
    output: TraceOutput,
    clock: TraceDeadline,
  ) {
    this.#task = task
    this.#factory = factory
    this.#clock = clock
    this.output = output
  }

  /** Writes the result of one transaction, or of a call that has a config of its own. */
  write(
    context: TransactionContext,
    run: (tracer: ResultTracer) => void,
    tracerConfig: unknown = this.#task.options.tracerConfig,
  ): void {
    const tracer = this.#create(context, tracerConfig)
    try {
      run(tracer)
      tracer.result(this.output)
    } finally {
      tracer.dispose?.()
    }
  }

  /** Writes the elements of a result that is a list into one list of all transactions. */
  writeElements(context: TransactionContext, run: (tracer: ResultTracer) => void): void {
    const tracer = this.#create(context)
    try {
      if (tracer.writeValues === undefined) throw new TraceError('the result of this tracer is not a list')
      run(tracer)
      if (tracer.writeValues(this.output, !this.hasElements)) this.hasElements = true
    } finally {
      tracer.dispose?.()
    }
  }

  /**
   * Writes the result as a member of its entry in a block's list. A script that fails does not affect the other
   * entries, as in geth.
   */
  writeEntry(context: TransactionContext, run: (tracer: ResultTracer) => void): void {
    const { tracer } = this.#task.options
    if (tracer === undefined || !isScript(tracer)) {
      this.output.ascii('"result":')
      this.write(context, run)
      this.output.ascii('}')
      return
    }
    const resultTracer = this.#create(context)
    try {
      this.#runScript(resultTracer, run)
    } finally {
      resultTracer.dispose?.()
    }
  }

  #runScript(tracer: ResultTracer, run: (tracer: ResultTracer) => void): void {
    const start = this.output.size
    try {
      run(tracer)
      this.output.ascii('"result":')
      tracer.result(this.output)
    } catch (error) {
      if (!(error instanceof TraceError) || this.output.size > start + '"result":'.length) throw error
      this.output.ascii(this.output.size === start ? '"error":' : 'null,"error":')
      this.output.json(error.message)
    }
    this.output.ascii('}')
  }

  #create(known: TransactionContext, tracerConfig: unknown = this.#task.options.tracerConfig): ResultTracer {
    const { options, memoryLimit } = this.#task
    if (this.#factory === undefined) return new StructLogger(options, this.output)
    const context = { ...known, deadline: this.#clock.deadline, memoryLimit }
    return this.#factory(tracerConfig, context, this.output)
  }
}
