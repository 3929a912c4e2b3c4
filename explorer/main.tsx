import { options, render } from 'preact'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/views.css'
import './styles/cards.css'
import { loadNodeAbis } from './abi/registry.ts'
import { App } from './app.tsx'
import { chainChanges, connection, startLive } from './live/live.ts'
import { loadChainKey, loadNodeFacts, nodeFacts } from './live/node.ts'
import { startKeyboard } from './page/keyboard.ts'
import { startRouting } from './page/route.ts'
import { startTheme } from './page/theme.ts'

startTheme()
startRouting()
startKeyboard()

const loadFacts = (): void =>
  void loadNodeFacts()
    .then(loadNodeAbis)
    .catch(() => {})
const findChain = (): void => void loadChainKey().catch(() => {})
loadFacts()
findChain()
chainChanges.subscribe(findChain)
// A node that was restarted may serve other namespaces, or another chain.
let wasLost = false
connection.subscribe(() => {
  const state = connection.get()
  if (state === 'lost') wasLost = true
  else if (state !== 'connecting' && (wasLost || nodeFacts.get() === undefined)) {
    wasLost = false
    loadFacts()
    findChain()
  }
})
startLive()

/** The most characters of one text. Laying out millions, which only a node that lies gives, would stop the page. */
const maxText = 100_100
options.vnode = (node: { readonly type: unknown; props: unknown }) => {
  if (node.type === null && typeof node.props === 'string' && node.props.length > maxText)
    node.props = `${node.props.slice(0, maxText)}…`
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
