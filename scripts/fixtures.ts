// `npm run fixtures`: puts the official suites that tests read into test/fixtures/official, checked against the
// checksums in test/fixtures/checksums. They come from ../shared/conformance where that is, else from their public
// repositories at a pinned commit.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  findWrong,
  fromArchive,
  fromFolder,
  fromRepository,
  type OfficialSuite,
  officialSuites,
  placeSuite,
  readChecksums,
  type Source,
} from './officialSuites.ts'

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** A copy beside the project, if there is one: an archive, or a folder. */
const findBeside = (name: string): { readonly from: string; readonly source: Source } | undefined => {
  const folder = `../shared/conformance/${name}`
  const archive = `${folder}.tar.xz`
  if (existsSync(path(archive))) return { from: archive, source: fromArchive(path(archive)) }
  if (existsSync(path(folder))) return { from: folder, source: fromFolder(path(folder)) }
  return undefined
}

const place = async (suite: OfficialSuite): Promise<boolean> => {
  const { name, repository, commit } = suite
  const target = path(`test/fixtures/official/${name}`)
  const checksums = await readChecksums(path(`test/fixtures/checksums/${name}.sha256.gz`))
  if (existsSync(target) && (await findWrong(target, checksums)).length === 0) {
    console.log(`${name}: ${checksums.size} files are there already`)
    return true
  }
  const { from, source } = findBeside(name) ?? {
    from: `${repository} at ${commit}`,
    source: fromRepository(suite),
  }
  console.log(`${name}: from ${from}`)
  try {
    await placeSuite(target, checksums, source)
    console.log(`${name}: ${checksums.size} files in test/fixtures/official/${name}`)
    return true
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n').filter((line) => !line.startsWith('Command'))
    console.error(`${name}: it could not be had from ${from}: ${reason}`)
    console.error(
      `${name}: without it its tests are skipped. This needs git and a way to github.com (git's own settings know ` +
        `proxies and mirrors); or put the suite at ../shared/conformance/${name}, then \`npm run fixtures\` again.`,
    )
    return false
  }
}

let isGood = true
for (const suite of officialSuites) isGood = (await place(suite)) && isGood
process.exitCode = isGood ? 0 : 1
