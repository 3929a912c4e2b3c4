// Writes `dist/light/`: the package's entry `perihelion/light`, for browsers and Node.js alike.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { licences } from './licences.ts'
import { bundleLight } from './lightBundle.ts'

const folder = fileURLToPath(new URL('../dist/light/', import.meta.url))

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const chunks = await bundleLight()
for (const { fileName, code } of chunks) writeFileSync(`${folder}${fileName}`, code)
writeFileSync(`${folder}LICENCES.txt`, licences(chunks.flatMap(({ moduleIds }) => moduleIds)))
