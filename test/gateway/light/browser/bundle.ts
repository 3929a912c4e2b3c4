import { fileURLToPath } from 'node:url'
import { type OutputChunk, rolldown } from 'rolldown'

/** The name under which a page has the functions of the bundle. */
export const globalName = 'light'

/** Bundles the light client for browsers, as a script. Whatever a browser does not have fails it: nothing stands in for Node.js. */
export const bundleLight = async (): Promise<OutputChunk> => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./entry.ts', import.meta.url)),
    platform: 'browser',
    onLog: (_, { message }) => {
      throw new Error(message)
    },
  })
  try {
    const { output } = await bundle.generate({ format: 'iife', name: globalName, minify: true })
    return output[0]
  } finally {
    await bundle.close()
  }
}
