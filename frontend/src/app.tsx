import { type ComponentType, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { Esqueleto } from './components/esqueleto'
import { LimiteDeError } from './components/limite-de-error'
import { Armazon } from './layout/armazon'
import { fondoDe } from './lib/fondo'
import { useMeta } from './lib/use-meta'
import { cargar, pagina, type Ruta, rutaDe } from './rutas'

/** Pages without bar and footer. */
const SIN_MARCO: ReadonlySet<Ruta> = new Set(['/LogIn', '/AdminView'])

/** A page of its own chunk: drawn at once when the chunk is here, after a skeleton otherwise. */
function Pagina({ ruta }: { ruta: Ruta }) {
  const [Llegada, setLlegada] = useState<ComponentType | undefined>(() => pagina(ruta))
  const [fallo, setFallo] = useState<Error | null>(null)
  useEffect(() => {
    if (Llegada) return
    cargar(ruta).then(
      (componente) => setLlegada(() => componente),
      (error: unknown) => setFallo(error instanceof Error ? error : new Error(String(error))),
    )
  }, [ruta, Llegada])
  if (fallo) throw fallo
  return Llegada ? <Llegada /> : <Esqueleto />
}

/** The site: every route, each page in its own chunk. */
export function App() {
  const lugar = useLocation()
  // A modal with an address of its own leaves the page under it where it is.
  const pathname = fondoDe(lugar.state) ?? lugar.pathname
  const ruta = rutaDe(pathname)
  useMeta(ruta)
  const paginas = (
    <LimiteDeError key={pathname}>
      <Pagina key={ruta} ruta={ruta} />
    </LimiteDeError>
  )
  return SIN_MARCO.has(ruta) ? paginas : <Armazon>{paginas}</Armazon>
}
