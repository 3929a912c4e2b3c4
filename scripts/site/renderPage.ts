import MarkdownIt from 'markdown-it'
import { createSlugger } from './slugs.ts'

export interface Heading {
  readonly level: number
  readonly slug: string
  readonly title: string
}

/** A part of a page that the search finds: a heading with the text below it. */
export interface SearchEntry {
  readonly slug: string
  readonly title: string
  readonly text: string
}

export interface RenderedPage {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly entries: readonly SearchEntry[]
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const markdown = new MarkdownIt({ html: true })

/** An example of a method: a request that the reader can change and run, and what a node responded. */
const renderExample = (request: string, response: string | undefined): string =>
  [
    '<div class="example">',
    `<textarea class="request" spellcheck="false" aria-label="request" rows="1">${escapeHtml(request)}</textarea>`,
    '<button class="run" type="button">Run</button>',
    response === undefined ? '' : `<pre class="expected"><code>${escapeHtml(response)}</code></pre>`,
    '<pre class="response" aria-live="polite" hidden></pre>',
    '</div>\n',
  ].join('\n')

markdown.renderer.rules.fence = (tokens, index) => {
  const { content, info } = tokens[index] as { content: string; info: string }
  const [, request, response] = /^>> (.*)\n(?:<< (.*)\n)?$/.exec(content) ?? []
  if (request !== undefined && info === '') return renderExample(request, response)
  return `<pre class="${escapeHtml(info)}"><code>${escapeHtml(content)}</code></pre>\n`
}
// A wide table scrolls by itself.
markdown.renderer.rules.table_open = () => '<div class="table"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

type Tokens = ReturnType<typeof markdown.parse>

const plainText = (tokens: Tokens): string =>
  tokens
    .map(({ type, content, children }) => {
      if (children !== null) return plainText(children)
      if (type === 'html_inline' || type === 'html_block') return ' '
      return type === 'softbreak' ? ' ' : content
    })
    .join('')

/** Renders a page. `linkTo` maps the target of a link or picture; undefined leaves its text without a link. */
export const renderPage = (text: string, linkTo: (target: string) => string | undefined): RenderedPage => {
  const tokens = markdown.parse(text, {})
  const slugOf = createSlugger()
  const headings: Heading[] = []
  const entries: { slug: string; title: string; text: string }[] = []
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1]
    if (token.type === 'heading_open' && content !== undefined) {
      const heading = {
        level: Number(token.tag.slice(1)),
        slug: slugOf(content.content),
        title: plainText([content]),
      }
      token.attrSet('id', heading.slug)
      headings.push(heading)
      entries.push({ slug: heading.slug, title: heading.title, text: '' })
    } else if (
      (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') ||
      token.type === 'fence'
    ) {
      const entry = entries.at(-1)
      if (entry !== undefined) entry.text += `${plainText([token])} `
    }
    for (const child of token.children ?? []) {
      const name = child.type === 'image' ? 'src' : child.type === 'link_open' ? 'href' : undefined
      if (name === undefined) continue
      const target = linkTo(String(child.attrGet(name)))
      if (target === undefined) child.attrs = []
      else child.attrSet(name, target)
    }
  }
  return {
    title: headings[0]?.title ?? '',
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    entries,
  }
}
