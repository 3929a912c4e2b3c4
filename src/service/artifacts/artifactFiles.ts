import { opendir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

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
  /** The file beside it that has what the compiler read, where that is apart (Hardhat 3). */
  readonly input: string | undefined
}

/** Lists the JSON files below a folder, the oldest first. Links are not followed. */
export const listArtifacts = async (folder: string): Promise<readonly ArtifactFile[]> => {
  const files = new Map<string, ArtifactFile>()
  const folders = [{ path: folder, depth: 0 }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const isRoot = next.path === folder
    for await (const entry of await opendir(next.path).catch((error) =>
      isRoot ? Promise.reject(error) : [],
    )) {
      if (files.size >= artifactLimits.files) break
      const path = join(next.path, entry.name)
      if (entry.isDirectory() && next.depth < artifactLimits.depth)
        folders.push({ path, depth: next.depth + 1 })
      if (!entry.isFile() || !/(?<!\.dbg)\.json$/.test(entry.name)) continue
      // A compiler may have removed it since.
      const found = await stat(path).catch(() => undefined)
      if (found === undefined) continue
      const { size, mtimeMs } = found
      const name = relative(folder, path)
      files.set(name, {
        path: name,
        version: `${size} ${mtimeMs}`,
        size,
        writtenAt: mtimeMs,
        input: undefined,
      })
    }
  }
  return [...files.values()]
    .map((file) => {
      const input = files.get(file.path.replace(/\.output\.json$/, '.json'))
      if (input === undefined || input === file) return file
      return { ...file, input: input.path, version: `${file.version} ${input.version}` }
    })
    .sort((a, b) => a.writtenAt - b.writtenAt)
}
