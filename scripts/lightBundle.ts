import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const prefix = '#wasm/'

/** Has `#wasm/<name>` be a module with the text of `dist/wasm/<name>.wasm`. */
export const wasmText: Plugin = {
  name: 'wasm-text',
  resolveId: (id) => (id.startsWith(prefix) ? id : undefined),
  load: (id) => {
    if (!id.startsWith(prefix)) return undefined
    const bytes = readFileSync(new URL(`../dist/wasm/${id.slice(prefix.length)}.wasm`, import.meta.url))
    return `export default '${bytes.toString('base64')}'`
  },
}

/** Bundles `perihelion/light` for browsers and Node.js, in parts of which most are loaded on first use. */
export const bundleLight = async (plugins: readonly Plugin[] = []): Promise<readonly OutputChunk[]> => {
  const bundle = await rolldown({
    cwd: root,
    input: { index: 'src/provider/index.ts' },
    platform: 'browser',
    plugins: [wasmText, ...plugins],
    onLog: (_, { message }) => {
      throw new Error(message)
    },
  })
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
    })
    return output.filter((file): file is OutputChunk => file.type === 'chunk')
  } finally {
    await bundle.close()
  }
}
