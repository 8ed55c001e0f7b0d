import { useEffect, useState } from 'react'
import { buttonClasses } from '../../components/button-classes'
import { donar } from '../../content/donar'

/** How long the button reports that it has copied (F-701). */
const CONFIRMED_MS = 1500

/** Copies a value. A refusal of the clipboard is ignored, because the value can be selected (F-173). */
export function CopyButton({ name, value }: { name: string; value: string }) {
  const { copy, copied } = donar.bankTransfer
  const [times, setTimes] = useState(0)

  useEffect(() => {
    if (times === 0) return
    const timer = setTimeout(() => setTimes(0), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [times])

  const copyValue = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setTimes((n) => n + 1)
    } catch {
      setTimes(0)
    }
  }
  const text = times > 0 ? copied : copy
  return (
    <button type="button" className={`${buttonClasses('secundario')} no-imprimir`} aria-label={`${text} ${name}`} onClick={copyValue}>
      <span aria-live="polite">{text}</span>
    </button>
  )
}
