import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClasses } from './button-classes'

type Props = {
  title: string
  /** The shared path; the page's own if absent. */
  path?: string
  label: string
  /** The button's text after it has copied the address. */
  copiedLabel: string
  className?: string
}

/** Shares a page, or copies its address if the browser cannot share. */
export function ShareButton({ title, path, label, copiedLabel, className = '' }: Props) {
  const [copied, setCopied] = useState(false)
  async function share() {
    const url = path ? new URL(path, location.href).href : location.href
    try {
      if (typeof navigator.share === 'function') await navigator.share({ title, url })
      else {
        await navigator.clipboard.writeText(url)
        setCopied(true)
      }
    } catch {
      // The visitor cancelled, or the browser forbids it: nothing to report.
    }
  }
  return (
    <button type="button" className={`${buttonClasses()} ${className}`} onClick={() => void share()}>
      <Share2 aria-hidden="true" size={18} />
      <span aria-live="polite">{copied ? copiedLabel : label}</span>
    </button>
  )
}
