import { join, relative } from 'node:path/posix'
import type { Section } from './navigation.ts'
import { escapeHtml, type RenderedPage } from './renderPage.ts'

/** The file of a page in the site, by its path below the root. A README is what its folder shows. */
export const fileOf = (page: string): string =>
  page.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')

/** The link from one file of the site to another. It works below any prefix and from a folder. */
export const linkBetween = (from: string, to: string): string => relative(join(from, '..'), to)

export interface Frame {
  readonly sections: readonly Section[]
  /** The title of a page in the navigation. */
  readonly titleOf: (page: string) => string
  /** The pages that stand below another one, and that one. */
  readonly parents: ReadonlyMap<string, string>
}

const navigationOf = (current: string, { sections, titleOf, parents }: Frame): string =>
  sections
    .map(({ title, pages }) => {
      const items = pages.map((page) => {
        const isCurrent = page === current || page === parents.get(current)
        const mark = isCurrent ? ' aria-current="page"' : ''
        return `<li><a href="${linkBetween(fileOf(current), fileOf(page))}"${mark}>${escapeHtml(titleOf(page))}</a></li>`
      })
      return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
    })
    .join('\n')

const outlineOf = ({ headings }: RenderedPage): string => {
  const items = headings
    .filter(({ level }) => level === 2 || level === 3)
    .map(
      ({ level, slug, title }) =>
        `<li class="level${level}"><a href="#${slug}">${escapeHtml(title)}</a></li>`,
    )
  return items.length < 2
    ? ''
    : `<nav class="outline" aria-label="on this page"><ul>${items.join('\n')}</ul></nav>`
}

/** What stands above the examples of a page: the node that they are sent to. */
const nodeForm = (methods: string): string => `<div class="node">
<label>Node <input id="node" type="url" value="http://127.0.0.1:8545" spellcheck="false"></label>
<p>Run sends a request from your browser to this node. Methods that are not public can change it.
A node rejects pages of other origins: <a href="${methods}#run-an-example">what to set</a>.</p>
</div>`

/** Writes a page of the site. */
export const layOut = (page: string, rendered: RenderedPage, frame: Frame): string => {
  const file = fileOf(page)
  const to = (target: string): string => linkBetween(file, target)
  const title = page === 'README.md' ? 'Perihelion' : `${rendered.title} · Perihelion`
  const form = rendered.html.includes('class="example"') ? nodeForm(to('docs/methods.html')) : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" data-root="${to('index.html').replace(/index\.html$/, '')}" defer></script>
</head>
<body>
<header>
<a class="home" href="${to('index.html')}">Perihelion</a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search ( / )" aria-label="search" autocomplete="off">
<ol id="results" hidden></ol>
</div>
</header>
<div class="columns">
<nav class="pages" aria-label="pages">
<details open><summary>Pages</summary>
${navigationOf(page, frame)}
</details>
</nav>
<main>
${form}
${rendered.html}
</main>
${outlineOf(rendered)}
</div>
</body>
</html>
`
}
