import { site } from '../content/sitio'

/** The header of a printed page: the foundation's name and contact data (P-18). */
export function Letterhead() {
  return (
    <div className="membrete">
      <p className="font-titular font-extrabold">{site.name}</p>
      <p>
        {site.email} · {site.phone} · {site.url.replace(/^https?:\/\//, '')}
      </p>
    </div>
  )
}
