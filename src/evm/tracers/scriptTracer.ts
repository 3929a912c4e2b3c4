import { JavascriptTracer } from './javascript/javascriptTracer.ts'
import { Sandbox } from './javascript/sandbox.ts'
import type { TracerFactory } from './tracer.ts'

/** Makes a tracer of a script. Called in a worker that serves this one trace and ends with it. */
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
