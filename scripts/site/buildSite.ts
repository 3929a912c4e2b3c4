import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { rolldown } from 'rolldown'
import type { OpenRpcDocument } from '../../src/rpc/openrpc.ts'
import { type Frame, fileOf, layOut, linkBetween } from './layout.ts'
import { splitMethods } from './methodPages.ts'
import { sections } from './navigation.ts'
import { type RenderedPage, renderPage } from './renderPage.ts'
import { searchOptions } from './searchOptions.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const decisions = 'docs/decisions'
const runAnExample = `
## Run an example

Each method has its request on the page of its namespace. Type the URL of a node at the top of that page, change the request if you
like, and press *Run*: your browser sends it to that node and shows the response.

A browser asks the node whether a page may call it (CORS). Serve this folder from your machine (\`npx vite preview --outDir build/docs\` or
any file server) and a dev node (\`perihelion start --ephemeral\`) responds at once, because it accepts pages of localhost. For any other
node, add the origin of this page to its setting [\`json-rpc.cors\`](settings.md). A page that was opened as a file has the origin \`null\`,
which no node should accept: use a file server.
`

/** Every page of the site: markdown by its path below the root. */
const collectPages = () => {
  const document = JSON.parse(read('docs/openrpc.json')) as OpenRpcDocument
  const methods = splitMethods(read('docs/methods.md'), document)
  const listed = sections.flatMap(({ pages }) => pages)
  const records = readdirSync(join(root, decisions)).filter((name) => /^\d/.test(name))
  const texts = new Map([
    ...[...listed, ...records.map((name) => `${decisions}/${name}`)].map(
      (path) => [path, read(path)] as const,
    ),
    ...methods.pages,
  ])
  const overview = texts.get('docs/methods.md') ?? ''
  const firstList = overview.indexOf('\n## ')
  texts.set('docs/methods.md', overview.slice(0, firstList) + runAnExample + overview.slice(firstList))
  const parents = new Map([
    ...[...methods.pages.keys()].map((path) => [path, 'docs/methods.md'] as const),
    ...records.map((name) => [`${decisions}/${name}`, `${decisions}/README.md`] as const),
  ])
  return { texts, parents, pageOf: methods.pageOf }
}

/** Titles that are too long for the navigation. */
const shortTitles: Readonly<Record<string, string>> = {
  'README.md': 'Overview',
  'SECURITY.md': 'Security',
  'docs/decisions/README.md': 'Decisions',
}

const bundleClient = async (): Promise<string> => {
  const bundle = await rolldown({ cwd: root, input: 'scripts/site/client/main.ts', platform: 'browser' })
  try {
    // A classic script: pages that are opened as files may load one.
    const { output } = await bundle.generate({ format: 'iife', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}

/** Builds the site into a folder, which is emptied first. Returns its pages. */
export const buildSite = async (output: string): Promise<readonly string[]> => {
  const { texts, parents, pageOf } = collectPages()
  const files = new Set<string>()

  /** Maps a link of a page to its target in the site. A folder without a page has none: its name stays as text. */
  const linkFrom = (page: string) => (link: string) => {
    if (/^[a-z]+:/.test(link)) return link
    const [path = '', anchor] = link.split('#')
    let target = path === '' ? page : join(page, '..', decodeURIComponent(path))
    if (parents.get(target) === undefined && texts.has(join(target, 'README.md')))
      target = join(target, 'README.md')
    const isReference = target === 'docs/methods.md' || parents.get(target) === 'docs/methods.md'
    if (isReference && anchor !== undefined) target = pageOf(anchor) ?? target
    const hash = anchor === undefined ? '' : `#${anchor}`
    if (texts.has(target)) return `${linkBetween(fileOf(page), fileOf(target))}${hash}`
    if (!existsSync(join(root, target)) || statSync(join(root, target)).isDirectory()) return undefined
    files.add(target)
    return `${linkBetween(fileOf(page), target)}${hash}`
  }

  const rendered = new Map<string, RenderedPage>()
  for (const [page, text] of texts) rendered.set(page, renderPage(text, linkFrom(page)))
  const frame: Frame = {
    sections,
    parents,
    titleOf: (page) => shortTitles[page] ?? rendered.get(page)?.title ?? page,
  }
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(output, file)), { recursive: true })
    writeFileSync(join(output, file), content)
  }

  rmSync(output, { recursive: true, force: true })
  const search = new MiniSearch(searchOptions)
  for (const [page, content] of rendered) {
    write(fileOf(page), layOut(page, content, frame))
    for (const [index, { slug, title, text }] of content.entries.entries()) {
      const id = index === 0 ? fileOf(page) : `${fileOf(page)}#${slug}`
      search.add({ id, title, text, page: content.title, excerpt: text.slice(0, 160) })
    }
  }
  for (const file of files) {
    mkdirSync(dirname(join(output, file)), { recursive: true })
    copyFileSync(join(root, file), join(output, file))
  }
  write('site.css', read('scripts/site/client/site.css'))
  write('site.js', await bundleClient())
  // A script, not JSON: pages that are opened as files may not fetch.
  write('search.js', `window.searchIndex = ${JSON.stringify(JSON.stringify(search))}\n`)
  return [...texts.keys()]
}
