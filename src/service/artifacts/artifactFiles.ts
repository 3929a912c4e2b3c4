import { opendir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PiecedJson } from '../../base/json/piecedJson.ts'

/** What is read at most of a folder of artifacts. */
export const artifactLimits = {
  files: 20_000,
  depth: 12,
  /** Of one file: a build-info has all sources and all codes of a project. */
  fileBytes: 128e6,
  /** Of all files of one look at the folder. */
  bytes: 1e9,
}

/** A file of artifacts: its path in the folder, and what changes when it is written. */
export interface ArtifactFile {
  readonly path: string
  readonly version: string
  readonly size: number
  readonly writtenAt: number
}

/** Lists the JSON files below a folder, the oldest first. Links are not followed. */
export const listArtifacts = async (folder: string): Promise<readonly ArtifactFile[]> => {
  const files: ArtifactFile[] = []
  const folders = [{ path: folder, depth: 0 }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for await (const entry of await opendir(next.path)) {
      if (files.length >= artifactLimits.files) break
      const path = join(next.path, entry.name)
      if (entry.isDirectory() && next.depth < artifactLimits.depth)
        folders.push({ path, depth: next.depth + 1 })
      if (!entry.isFile() || !/(?<!\.dbg)\.json$/.test(entry.name)) continue
      const { size, mtimeMs } = await stat(path)
      const version = `${size} ${mtimeMs}`
      files.push({ path: relative(folder, path), version, size, writtenAt: mtimeMs })
    }
  return files.sort((a, b) => a.writtenAt - b.writtenAt)
}

/** JSON may not be nested deeper: trees of syntax are deep. */
const maxDepth = 2_000
const sliceMs = 2

/** Parses JSON without holding up others. */
export const parseJsonInSlices = async (text: string): Promise<unknown> => {
  const json = new PiecedJson(text, maxDepth)
  json.skipSpace()
  const steps = json.value(0)
  let sliceEnd = performance.now() + sliceMs
  let step = steps.next()
  while (step.done !== true) {
    if (performance.now() > sliceEnd) {
      await setImmediate()
      sliceEnd = performance.now() + sliceMs
    }
    step = steps.next()
  }
  json.finish()
  return step.value
}
