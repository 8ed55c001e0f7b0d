import { sitio } from '../content/sitio'

/** The head of a printed page: whose it is and how to reach them (P-18). */
export function Membrete() {
  return (
    <div className="membrete">
      <p className="font-titular font-extrabold">{sitio.nombre}</p>
      <p>
        {sitio.correo} · {sitio.telefono} · {sitio.url.replace(/^https?:\/\//, '')}
      </p>
    </div>
  )
}
