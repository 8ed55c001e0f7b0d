import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 200

type Props = { label: string; text: string; set: (text: string) => void; hint?: string; mono?: boolean; wide?: boolean }

/**
 * A field that searches while the user types, after a short pause, or at once on Enter. It keeps the typed text while
 * the address changes.
 */
export function SearchBox({ label, text, set, hint, mono = false, wide = false }: Props) {
  const [typed, setTyped] = useState(text)
  const [sent, setSent] = useState(text)
  const [seen, setSeen] = useState(text)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (text !== seen) {
    setSeen(text)
    // The address has a text that was not typed here, because the user went back.
    if (text !== sent) {
      setTyped(text)
      setSent(text)
    }
  }
  const send = (value: string) => {
    clearTimeout(timer.current)
    setSent(value)
    set(value)
  }
  return (
    <input
      type="search"
      className={`${mono ? 'mono' : ''} ${wide ? 'search-wide' : 'search'}`}
      value={typed}
      aria-label={label}
      placeholder={hint ?? label}
      onChange={(event) => {
        const { value } = event.target
        setTyped(value)
        clearTimeout(timer.current)
        timer.current = window.setTimeout(() => send(value), PAUSE_MS)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') send(typed)
      }}
    />
  )
}
