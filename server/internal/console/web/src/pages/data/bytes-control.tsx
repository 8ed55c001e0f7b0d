import { useText } from '../../i18n/text'
import type { ValuePath } from '../../lib/changes'
import { parseInput } from '../../lib/parse-input'
import { byteLength } from '../../lib/value-text'
import { useTyped } from './edit-context'

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** A base64 text; null if it is not valid. */
const parseBytes = (text: string): string | null => (parseInput('bytes', text, '') ? text : null)

/** Bytes as base64, or from a file. */
export function BytesControl({
  path,
  base64,
  label,
  disabled,
  set,
}: {
  path: ValuePath
  base64: string
  label: string
  disabled: boolean
  set: (base64: string) => void
}) {
  const { t } = useText()
  const { text, good, change } = useTyped({ path, value: base64, format: (of) => of, parse: parseBytes, set })
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
