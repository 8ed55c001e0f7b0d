import { site } from '../content/sitio'

/** The head of a printed page: whose it is and how to reach them (P-18). */
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
