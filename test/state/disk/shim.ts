import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const source = fileURLToPath(new URL('./diskShim.c', import.meta.url))

/** Builds the library that watches writes; returns why it cannot be built where that is so. */
export const buildShim = (folder: string): { readonly path: string } | { readonly reason: string } => {
  if (process.platform !== 'linux') return { reason: 'writes are watched by LD_PRELOAD, which is of Linux' }
  const path = join(folder, 'diskShim.so')
  const { status, error, stderr } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', path, source, '-ldl', '-lpthread'],
    {
      encoding: 'utf8',
    },
  )
  if (error !== undefined) return { reason: 'there is no C compiler (cc)' }
  if (status !== 0) throw new Error(`diskShim.c does not compile: ${stderr}`)
  return { path }
}

/** Bundles a worker, which then starts in a moment; two folders below the root, from where the files of a build are found. */
export const bundleWorker = async (
  name: string,
): Promise<{ readonly path: string; readonly folder: string }> => {
  const folder = fileURLToPath(new URL(`../../../build/perihelion-${name}-${process.pid}/`, import.meta.url))
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
      outDir: folder,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  })
  return { path: join(folder, `${name}.mjs`), folder }
}
