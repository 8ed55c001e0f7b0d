import { useText } from '../../i18n/text'
import { parseInput } from '../../lib/parse-input'
import { byteLength } from '../../lib/value-text'
import { useState } from 'react'

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Bytes as base64, or from a file. */
export function BytesControl({
  base64,
  label,
  disabled,
  set,
}: {
  base64: string
  label: string
  disabled: boolean
  set: (base64: string) => void
}) {
  const { t } = useText()
  const [text, setText] = useState(base64)
  const [shown, setShown] = useState(base64)
  if (shown !== base64) {
    setShown(base64)
    setText(base64)
  }
  const good = parseInput('bytes', text, '') !== null
  const change = (next: string) => {
    setText(next)
    if (!parseInput('bytes', next, '')) return
    setShown(next)
    set(next)
  }
  return (
    <>
      <textarea
        className="mono"
        rows={1}
        value={text}
        disabled={disabled}
        aria-label={label}
        aria-invalid={!good}
        onChange={(event) => change(event.target.value)}
      />
      <div className="row small soft">
        {good ? t.data.bytes(byteLength(text)) : t.data.badValue}
        {!disabled && (
          <label className="row push">
            {t.data.loadFile}
            <input
              type="file"
              className="file"
              onChange={(event) => void event.target.files?.[0]?.arrayBuffer().then((buffer) => change(toBase64(new Uint8Array(buffer))))}
            />
          </label>
        )}
      </div>
    </>
  )
}
