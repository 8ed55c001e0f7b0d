import { load, routeOf } from './pages'
import './styles/index.css'

/** Lets the browser draw, and handle input, before what comes next. */
const turn = () =>
  new Promise<void>((ready) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => ready()
    port2.postMessage(null)
  })

/** Makes the page live, each part of its scripts in a turn of its own: in one task, a slow phone does not respond for a sixth of a second. */
async function boot(): Promise<void> {
  const root = document.getElementById('raiz')
  if (!root) throw new Error('index.html has no #raiz')
  // A reload keeps the history entry's state, but not the page that was under its modal.
  history.replaceState(null, '')
  const route = routeOf(location.pathname)
  await import('react-dom/client')
  await turn()
  const { render } = await import('./draw')
  await turn()
  // Without its chunk the page shows its own way on; see Pagina.
  await load(route).catch(() => undefined)
  await turn()
  render(root, root.dataset['ruta'] === route)
}

void boot()
