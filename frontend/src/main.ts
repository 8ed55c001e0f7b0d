import { cargar, rutaDe } from './rutas'
import './styles/index.css'

/** Lets the browser draw, and do what the visitor asks for, before what comes next. */
const turno = () =>
  new Promise<void>((listo) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => listo()
    port2.postMessage(null)
  })

/** Makes the page live, each part of its scripts in a turn of its own: in one, a slow phone stands still for a sixth of a second. */
async function arrancar(): Promise<void> {
  const raiz = document.getElementById('raiz')
  if (!raiz) throw new Error('index.html has no #raiz')
  // A reload keeps the history entry's state, but not the page that was under its modal.
  history.replaceState(null, '')
  const ruta = rutaDe(location.pathname)
  await import('react-dom/client')
  await turno()
  const { dibujar } = await import('./vida')
  await turno()
  // Without its chunk the page shows its own way on; see Pagina.
  await cargar(ruta).catch(() => undefined)
  await turno()
  dibujar(raiz, raiz.dataset['ruta'] === ruta)
}

void arrancar()
