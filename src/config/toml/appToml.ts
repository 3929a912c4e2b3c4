import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFileSync, writeFileAtomically } from '../../base/files/atomicFile.ts'
import { editToml } from '../../base/toml/tomlEdit.ts'
import { sectionOf, toEnvironmentName, tomlPath } from '../settings/names.ts'
import { type SettingName, settingEntries } from '../settings/settings.ts'
import { wrap } from './wrap.ts'

/** Returns the path of the settings file in a home folder. */
export const appTomlPath = (home: string): string => join(home, 'config', 'app.toml')

const comment = (text: string): string =>
  wrap(text, 108)
    .map((line) => `# ${line}\n`)
    .join('')

/**
 * Renders app.toml as the first start writes it: every setting with its default, its description and its other names.
 */
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
    text += `\n${comment(setting.about)}${comment(`--${name}, ${toEnvironmentName(name)}`)}`
    text += `${tomlPath(name).at(-1)} = ${setting.kind.toToml(setting.default)}\n`
  }
  return text
}

/**
 * Writes app.toml into a home folder, which is created if it is missing. Returns whether it was written: an existing
 * file is not changed.
 */
export const writeDefaultAppToml = async (home: string): Promise<boolean> => {
  const path = appTomlPath(home)
  // Nearly every start finds it, and the text takes longer to make than to look.
  if (existsSync(path)) return false
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return createFileSync(path, renderDefaultAppToml(), 0o600)
}

/**
 * Sets one value in a file like app.toml and leaves every other byte unchanged. The file is replaced atomically. A
 * symbolic link is followed, so that it stays a link and its target changes.
 */
export const updateAppToml = async (path: string, name: SettingName, tomlText: string): Promise<void> => {
  const target = await realpath(path)
  const { mode } = await stat(target)
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(target))
  const edited = editToml(text, tomlPath(name), tomlText)
  if (edited !== text) await writeFileAtomically(target, [edited], mode & 0o777)
}
