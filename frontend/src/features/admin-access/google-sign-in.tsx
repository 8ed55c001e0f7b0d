import { useEffect, useState } from 'react'
import { messageOf } from '../../admin/auth-error'
import { buttonClasses } from '../../components/button-classes'
import { useHydrated } from '../../lib/use-hydrated'
import { es } from '../../i18n/es-admin'

const { access } = es
const load = () => import('../../firebase/google')

/** The provider that the page offers, as its template says (scripts/build.mjs). */
const offered = (): boolean => document.querySelector('meta[name="acceso-google"]') !== null

/** The button that signs in with Google. It is there only where the provider is configured. Rights come from `adminusers` alone (F-803). */
export function GoogleSignIn({ onDone }: { onDone: () => void }) {
  const live = useHydrated()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (!offered() || !/\bstate=/.test(location.search + location.hash)) return
    const complete = async () => {
      const { finish, hasReturned } = await load()
      if (!hasReturned()) return
      setBusy(true)
      await finish()
      onDone()
    }
    complete().catch((error: unknown) => {
      setBusy(false)
      setProblem(messageOf(error))
    })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the answer in the address is there once
  }, [])
  if (!live || !offered()) return null
  const begin = async () => {
    setBusy(true)
    setProblem('')
    try {
      const { leaveFor, offeredProvider } = await load()
      await leaveFor(offeredProvider() ?? '')
    } catch (error) {
      setBusy(false)
      setProblem(messageOf(error))
    }
  }
  return (
    <div className="mt-4 grid gap-4">
      <p className="panel-o">{access.or}</p>
      {problem ? (
        <p role="alert" className="panel-error">
          {problem}
        </p>
      ) : null}
      <button type="button" className={buttonClasses()} disabled={busy} aria-busy={busy} onClick={() => void begin()}>
        {busy ? access.entering : access.google}
      </button>
    </div>
  )
}
