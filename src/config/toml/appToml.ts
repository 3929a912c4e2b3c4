import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { environmentName, sectionOf, tomlPath } from '../names.ts'
import { type SettingName, settingEntries } from '../settings.ts'
import { wrap } from '../wrap.ts'
import { editToml } from './tomlEdit.ts'

/** The file of settings in a home folder. */
export const appTomlPath = (home: string): string => join(home, 'config', 'app.toml')

const comment = (text: string): string =>
  wrap(text, 108)
    .map((line) => `# ${line}\n`)
    .join('')

/** app.toml as a first start writes it: every setting with its default, its meaning and its other names. */
export const renderDefaultAppToml = (): string => {
  let text = comment(
    'The settings of this node. Flags win over environment variables, and both win over this file.',
  )
  let section = ''
  for (const [name, setting] of settingEntries) {
    if (setting.notInFile) continue
    if (sectionOf(name) !== section) {
      section = sectionOf(name)
      text += `\n[${section}]\n`
    }
    text += `\n${comment(setting.about)}${comment(`--${name}, ${environmentName(name)}`)}`
    text += `${tomlPath(name).at(-1)} = ${setting.kind.toToml(setting.default)}\n`
  }
  return text
}

/** Writes what is in the file to the disk; a handle is closed whatever happens. */
const withFile = async (file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> => {
  try {
    await use(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A rename or a new file is safe from a power failure once its folder is on the disk too. */
const syncFolder = async (folder: string): Promise<void> => {
  // Windows cannot open a folder, and keeps its own journal of them.
  if (process.platform === 'win32') return
  await withFile(await open(folder, 'r'), async () => {})
}

const isErrorWithCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * Writes app.toml into a home folder, which is made where it is missing. Says whether it did: a file that is there is
 * left alone. A power failure can at worst leave an empty file behind, which means the same as this one.
 */
export const writeDefaultAppToml = async (home: string): Promise<boolean> => {
  const path = appTomlPath(home)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await withFile(await open(path, 'wx', 0o600), (file) => file.writeFile(renderDefaultAppToml()))
  } catch (error) {
    if (isErrorWithCode(error, 'EEXIST')) return false
    throw error
  }
  await syncFolder(dirname(path))
  return true
}

const replaceFile = async (path: string, bytes: Uint8Array, mode: number): Promise<void> => {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await withFile(await open(temporary, 'wx', 0o600), async (file) => {
      await file.writeFile(bytes)
      // Not by open(), which takes the process's umask off.
      await file.chmod(mode)
    })
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Sets one value in a file like app.toml and leaves every other byte as it is. At each moment the file is either the old
 * or the new one. A link is followed, so that it stays a link and its target changes.
 */
export const setInAppToml = async (path: string, name: SettingName, tomlText: string): Promise<void> => {
  const target = await realpath(path)
  const { mode } = await stat(target)
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(target))
  const edited = editToml(text, tomlPath(name), tomlText)
  if (edited !== text) await replaceFile(target, new TextEncoder().encode(edited), mode & 0o777)
}
