// `npm run docs`: builds the pages of docs/ as a site into build/docs.
import { fileURLToPath } from 'node:url'
import { buildSite } from './buildSite.ts'

const output = fileURLToPath(new URL('../../build/docs', import.meta.url))
const pages = await buildSite(output)
console.log(
  `${pages.length} pages in build/docs: open index.html, or run \`npx vite preview --outDir build/docs\``,
)
