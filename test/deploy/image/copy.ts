import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Copies as `COPY` does: a folder's content to a folder, files below one that ends with a slash, and all of it for root. */
export const copyPaths = (
  context: string,
  from: readonly string[],
  to: string,
  isIgnored: (path: string) => boolean = () => false,
): void => {
  for (const path of from) {
    const source = join(context, path)
    if (!statSync(source).isDirectory()) copyFile(source, to.endsWith('/') ? join(to, basename(path)) : to)
    else copyFolder(source, to, '', isIgnored)
  }
}

const copyFile = (from: string, to: string): void => {
  mkdirSync(join(to, '..'), { recursive: true })
  cpSync(from, to, { verbatimSymlinks: true })
  if (lstatSync(to).isSymbolicLink()) return
  chmodSync(to, statSync(from).mode)
  chownSync(to, 0, 0)
}

const copyFolder = (from: string, to: string, below: string, isIgnored: (path: string) => boolean): void => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    // What a later pattern takes back may be below: folders are gone through, and made when there is something in them.
    if (entry.isDirectory()) copyIfAny(join(from, entry.name), join(to, entry.name), path, isIgnored)
    else if (!isIgnored(path)) copyFile(join(from, entry.name), join(to, entry.name))
  }
}

const copyIfAny = (from: string, to: string, below: string, isIgnored: (path: string) => boolean): void => {
  // The largest of them, in which nothing is taken back.
  if (isIgnored(below) && /(?:^|\/)(?:node_modules|\.git)$/.test(below)) return
  if (isIgnored(below) && !readdirSync(from).some((name) => !isIgnored(`${below}/${name}`))) return
  copyFolder(from, to, below, isIgnored)
}
