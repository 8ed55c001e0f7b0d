import { useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { Status } from '../../admin/data/rows'
import { useNotify } from '../../admin/ui/toasts'
import { es } from '../../i18n/es-admin'

/** Moves forms along and tells how it went. */
export function useStatus() {
  const { me } = usePanelData()
  const notify = useNotify()
  const [busy, setBusy] = useState(false)
  const change = async (paths: readonly string[], status: Status) => {
    setBusy(true)
    try {
      const { setStatus } = await import('../../firebase/panel-writes')
      await setStatus(paths, status, me)
      notify({ text: es.tabla.estadoCambiado })
    } catch {
      notify({ text: es.tabla.estadoFallo, kind: 'error' })
    } finally {
      setBusy(false)
    }
  }
  return { busy, change }
}
