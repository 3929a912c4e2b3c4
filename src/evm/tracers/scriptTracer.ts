import { JavascriptTracer } from './javascript/javascriptTracer.ts'
import { Sandbox } from './javascript/sandbox.ts'
import type { TracerFactory } from './tracer.ts'

/** Creates a tracer from a script. It is called in a worker that executes one trace and then exits. */
export const loadScriptTracer = async (script: string): Promise<TracerFactory> => {
  const sandbox = await Sandbox.load()
  return (config, context) => {
    const realm = sandbox.open(context.deadline)
    const close = (): void => sandbox.close(realm)
    try {
      return { ...new JavascriptTracer(realm, script, config, context).hooks(), dispose: close }
    } catch (error) {
      close()
      throw error
    }
  }
}
