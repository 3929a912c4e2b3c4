import { enableExamples } from './examples.ts'
import { enableSearch } from './search.ts'

/** The folder of the site as seen from this page, such as `../`. */
const root = document.currentScript?.dataset.root ?? ''

// On a narrow screen the list of pages would stand before the page.
const pages = document.querySelector<HTMLDetailsElement>('nav.pages details')
if (pages !== null && matchMedia('(max-width: 50rem)').matches) pages.open = false

enableSearch(root)
enableExamples()
