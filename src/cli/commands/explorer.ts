import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Command } from 'commander'
import { explorerUrl } from '../../base/threads/builtFiles.ts'
import { print } from '../output/print.ts'

/** Defines `perihelion explorer`, which writes the page for any file server. */
export const define = (command: Command): void => {
  command.argument('<folder>', 'where the files are written').action((folder: string) => {
    const source = fileURLToPath(explorerUrl)
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.gz'),
    )
    for (const file of files) {
      const target = join(folder, file.slice(0, -'.gz'.length))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, gunzipSync(readFileSync(join(source, file))))
    }
    print`${files.length} files in ${folder}: serve them and open /?rpc=URL&trust=HEIGHT:HASH\n`
  })
}
