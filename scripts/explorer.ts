// Builds the page of `explorer/` to `dist/explorer/`: names with a hash of the content, every file compressed ahead
// with brotli and gzip, and nothing else, since a client that takes neither is rare enough to be unpacked for.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { licences } from './licences.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const output = join(root, 'dist', 'explorer')

const built = (await build({
  configFile: false,
  root: join(root, 'explorer'),
  // Relative, so that the page works below a prefix of a proxy.
  base: './',
  logLevel: 'warn',
  // As any other program has it.
  resolve: { alias: { 'perihelion/light': join(root, 'dist', 'light', 'index.js') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    write: false,
    target: 'es2022',
    // A text in an attribute is what the content security policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssMinify: true,
    rolldownOptions: { output: { comments: false } },
  },
})) as Rolldown.RolldownOutput

const compress = (name: string, content: Buffer): void => {
  const file = join(output, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
}

rmSync(output, { recursive: true, force: true })
for (const file of built.output) {
  compress(file.fileName, Buffer.from(file.type === 'chunk' ? file.code : file.source))
}
const modules = built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
writeFileSync(join(root, 'dist', 'LICENCES-explorer.txt'), licences(modules))
