import { useEffect, useState } from 'react'
import { site } from '../../content/sitio'
import { tContact } from '../../i18n/es-contact'
import { isOpenAt } from '../../lib/hours'
import { useHydrated } from '../../lib/use-hydrated'

/** Whether the foundation is open at present, updated every minute (P-16). */
export function OpenNow() {
  const hydrated = useHydrated()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000)
    return () => clearInterval(timer)
  }, [])
  const open = hydrated && isOpenAt(now, site.hours)
  return (
    <p className="mt-1 min-h-7 font-semibold">
      {hydrated ? <span className={open ? 'text-exito' : 'text-acento'}>{open ? tContact.open : tContact.closed}</span> : null}
    </p>
  )
}
