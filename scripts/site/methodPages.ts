import type { OpenRpcDocument, OpenRpcMethod } from '../../src/rpc/openrpc.ts'
import { createSlugger } from './slugs.ts'

/** The methods as pages, one for each namespace and one for the types: all of them are too much for one page of a browser. */
export interface MethodPages {
  /** Markdown by path below the root. */
  readonly pages: ReadonlyMap<string, string>
  /** The path of the page that has a heading of the whole reference. */
  readonly pageOf: (anchor: string) => string | undefined
}

const placeholders = ({ name, params }: OpenRpcMethod): string => {
  const required = params.filter((param) => param.required).map((param) => `<${param.name}>`)
  return `>> ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: required })}`
}

/** Gives each method without an example a request to fill in. */
const addRequests = (section: string, methods: ReadonlyMap<string, OpenRpcMethod>): string =>
  section
    .split(/^(?=### )/m)
    .map((part) => {
      const method = methods.get(/^### (.+)$/m.exec(part)?.[1] ?? '')
      if (method === undefined || part.includes('\n>> ')) return part
      return `${part.trimEnd()}\n\nRequest:\n\n\`\`\`\n${placeholders(method)}\n\`\`\`\n\n`
    })
    .join('')

/** Names of methods differ, so each is the slug of its heading alone. */
const slugOf = (heading: string): string => createSlugger()(heading)

/** Splits `docs/methods.md`, whose second-level headings are the namespaces and `types`. */
export const splitMethods = (reference: string, document: OpenRpcDocument): MethodPages => {
  const methods = new Map(document.methods.map((method) => [method.name, method]))
  const [overview = '', ...sections] = reference.split(/^(?=## )/m)
  const pages = new Map<string, string>()
  const places = new Map<string, string>()
  for (const section of sections) {
    const [, name = ''] = /^## (.+)$/m.exec(section) ?? []
    const path = `docs/methods/${name}.md`
    for (const [, heading = ''] of section.matchAll(/^#{2,3} (.+)$/gm)) places.set(slugOf(heading), path)
    const title = name === 'types' ? '# Types of the methods' : `# The namespace ${name}`
    pages.set(path, `${title}\n${addRequests(section.slice(section.indexOf('\n')), methods)}`)
  }
  const lists = sections.map((section) => {
    const [, name = ''] = /^## (.+)$/m.exec(section) ?? []
    const names = [...section.matchAll(/^### (.+)$/gm)].map(
      ([, heading = '']) => `[${heading}](methods/${name}.md#${slugOf(heading)})`,
    )
    return `## [${name}](methods/${name}.md)\n\n${names.join(', ')}\n`
  })
  const introduction = overview.replace(/^- \[.*\n/gm, '').trimEnd()
  pages.set('docs/methods.md', `${introduction}\n\n${lists.join('\n')}`)
  return { pages, pageOf: (anchor) => places.get(anchor) }
}
