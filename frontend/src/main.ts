import './chunks'
import { load } from './loading'
import { routeOf } from './paths'
import './styles/index.css'

/** Lets the browser draw and handle input before the next task. */
const turn = () =>
  new Promise<void>((ready) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => ready()
    port2.postMessage(null)
  })

/** Hydrates the page, with each part of the scripts in a separate task. In a single task, a slow phone does not respond for 0.17 s. */
async function boot(): Promise<void> {
  const root = document.getElementById('raiz')
  if (!root) throw new Error('index.html has no #raiz')
  // A reload keeps the state of the history entry, but not the page under its modal.
  history.replaceState(null, '')
  const route = routeOf(location.pathname)
  await import('react-dom/client')
  await turn()
  const { render } = await import('./draw')
  await turn()
  // Without its chunk the page shows its own error; see Page in app.tsx.
  await load(route).catch(() => undefined)
  await turn()
  render(root, root.dataset['ruta'] === route)
}

void boot()
