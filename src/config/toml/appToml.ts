import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFileSync, writeFileAtomically } from '../../base/atomicFile.ts'
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

/** Writes app.toml into a home folder, which is made where it is missing. Says whether it did: a file that is there is left alone. */
export const writeDefaultAppToml = async (home: string): Promise<boolean> => {
  const path = appTomlPath(home)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return createFileSync(path, renderDefaultAppToml(), 0o600)
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
  if (edited !== text) await writeFileAtomically(target, [edited], mode & 0o777)
}
