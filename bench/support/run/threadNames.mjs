// Loaded into every thread of a node before the program (`--import`): writes down which thread of the system it is, in the
// folder that its address names.
import { readlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('folder')
const name = isMainThread ? 'main' : basename(process.argv[1] ?? 'other', '.js')
writeFileSync(join(folder, basename(readlinkSync('/proc/thread-self'))), name)
