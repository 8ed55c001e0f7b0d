import { useEffect, useState } from 'react'
import { useText } from '../i18n/text'

/** Copies a text, and confirms that for two seconds. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useText()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <button type="button" className="button" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      <span aria-live="polite">{copied ? t.common.copied : (label ?? t.common.copy)}</span>
    </button>
  )
}
