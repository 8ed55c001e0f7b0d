import { memo, useCallback, useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../i18n/text'
import type { ValuePath } from '../../lib/changes'
import { parseInput } from '../../lib/parse-input'
import { pagePath } from '../../lib/scope'
import { emptyOf, type Fields as FieldMap, type Value, VALUE_TYPES, type ValueType } from '../../lib/value'
import { doubleText, referenceText, valueText } from '../../lib/value-text'
import { Icon } from '../../ui/icons'
import { BytesControl } from './bytes-control'
import { useEdit, useTyped } from './edit-context'
import { GeoControl } from './geo-control'
import { TimestampControl } from './timestamp-control'

/** The number of fields or items that are rendered at first, and that each step adds. Thousands of controls are slow. */
const STEP = 200

/** The types of an array's items. */
const ITEM_TYPES = VALUE_TYPES.filter((type) => type !== 'array')

/** A button that shows more of a long list. It is hidden when everything is shown. */
function ShowMore({ left, more }: { left: number; more: () => void }) {
  const { t, number } = useText()
  if (left <= 0) return null
  return (
    <div>
      <button type="button" className="button" onClick={more}>
        {t.data.showMore(number(Math.min(left, STEP)), number(left))}
      </button>
    </div>
  )
}

type FieldProps = {
  /** The path of the map or array that holds the value, and its key there. */
  above: ValuePath
  at: string | number
  name: string
  value: Value
  level: number
}

/** A field's name, type and value. It is rendered again only if its own value changes. */
const FieldEditor = memo(function FieldEditor({ above, at, name, value, level }: FieldProps) {
  const { t } = useText()
  const { edit, disabled } = useEdit()
  const path = useMemo(() => [...above, at], [above, at])
  const types = typeof at === 'number' ? ITEM_TYPES : VALUE_TYPES
  const set = useCallback((next: Value) => edit(path, next), [edit, path])
  const retype = (type: ValueType) => set(emptyOf(type, value.type === 'map' || value.type === 'array' ? '' : valueText(value)))
  return (
    <div className="field-box" role="group" aria-label={name}>
      <div className="field-line">
        <span className="name">{at}</span>
        <select
          value={value.type}
          disabled={disabled}
          aria-label={t.data.typeOf(name)}
          onChange={(event) => retype(types.find((type) => type === event.target.value) ?? 'string')}
        >
          {types.map((type) => (
            <option key={type} value={type}>
              {t.data.types[type]}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="button plain icon"
          disabled={disabled}
          aria-label={t.data.removeField(name)}
          onClick={() => edit(path, undefined)}
        >
          <Icon name="trash" />
        </button>
      </div>
      <div className="field-value">
        <ValueControl path={path} name={name} value={value} set={set} level={level} />
      </div>
    </div>
  )
})

type Props = { path: ValuePath; name: string; value: Value; set: (value: Value) => void; level: number }

/** The number of levels that are shown. What is below is opened alone, so that each level has room. */
const LEVELS = 2

/** The number of letters of a folded value. */
const FOLDED = 160

/** A map or an array below the shown levels, as a button that opens it. */
function Folded({ path, name, value }: { path: ValuePath; name: string; value: Value }) {
  const { t } = useText()
  const { enter } = useEdit()
  return (
    <button type="button" className="button folded" aria-label={t.data.openValue(name)} onClick={() => enter(path)}>
      <span className="mono clip">{valueText(value).slice(0, FOLDED)}</span>
      <span aria-hidden="true">›</span>
    </button>
  )
}

function ValueControl(props: Props) {
  const { t } = useText()
  const { disabled } = useEdit()
  const { value, set, path, name } = props
  const label = t.data.valueOf(name)
  switch (value.type) {
    case 'null':
      return null
    case 'boolean':
      return (
        <select
          value={String(value.value)}
          disabled={disabled}
          aria-label={label}
          onChange={(event) => set({ type: 'boolean', value: event.target.value === 'true' })}
        >
          <option>true</option>
          <option>false</option>
        </select>
      )
    case 'string':
      return (
        <textarea
          value={value.value}
          rows={1}
          disabled={disabled}
          aria-label={label}
          onChange={(event) => set({ type: 'string', value: event.target.value })}
        />
      )
    case 'timestamp':
      return <TimestampControl iso={value.value} label={label} disabled={disabled} set={(iso) => set({ type: 'timestamp', value: iso })} />
    case 'geopoint':
      return (
        <GeoControl
          path={path}
          latitude={value.latitude}
          longitude={value.longitude}
          disabled={disabled}
          set={(latitude, longitude) => set({ type: 'geopoint', latitude, longitude })}
        />
      )
    case 'bytes':
      return (
        <BytesControl
          path={path}
          base64={value.value}
          label={label}
          disabled={disabled}
          set={(base64) => set({ type: 'bytes', value: base64 })}
        />
      )
    case 'array':
    case 'map':
      return props.level < LEVELS ? (
        <ValuesEditor value={value} path={path} name={name} level={props.level + 1} />
      ) : (
        <Folded path={path} name={name} value={value} />
      )
    default:
      return <TextControl {...props} label={label} />
  }
}

const textOf = (value: Value, root: string): string =>
  value.type === 'double'
    ? doubleText(value.value)
    : value.type === 'reference'
      ? referenceText(value.value, root)
      : value.type === 'vector'
        ? value.value.join(', ')
        : valueText(value)

/** The address of a referenced document, also in another database; null if there is none yet. */
function referencePlace(name: string): string | null {
  const [, project, , database, , ...ids] = name.split('/')
  return project && database ? pagePath('data', { project, database }, ids.join('/')) : null
}

/** A value that is edited as a line of text: a number, a reference or a vector. Invalid text is kept and marked. */
function TextControl({ value, set, path, label }: Props & { label: string }) {
  const { t } = useText()
  const { root, disabled } = useEdit()
  const { text, good, change } = useTyped({
    path,
    value,
    format: (of) => textOf(of, root),
    parse: (of) => parseInput(value.type, of, root),
    set,
  })
  const place = value.type === 'reference' ? referencePlace(value.value) : null
  return (
    <>
      <div className="row">
        <input
          className="mono grow"
          value={text}
          disabled={disabled}
          aria-label={label}
          aria-invalid={!good}
          inputMode={value.type === 'integer' ? 'numeric' : undefined}
          onChange={(event) => change(event.target.value)}
        />
        {place && (
          <Link className="button plain" to={place}>
            {t.data.open}
          </Link>
        )}
      </div>
      {!good && text !== '' && (
        <p className="bad small" role="alert">
          {t.data.badValue}
        </p>
      )}
    </>
  )
}

/** A value and its key or index. */
type Entry = [key: string | number, value: Value]

/** The number of values that are rendered together. */
const PART = 50

/** Splits values into parts, so that a change renders one part only. */
function parted(entries: Entry[]): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / PART) }, (_, i) => entries.slice(i * PART, (i + 1) * PART))
}

type PartProps = ListProps & { part: readonly Entry[] }

function samePart(a: PartProps, b: PartProps): boolean {
  if (a.path !== b.path || a.part.length !== b.part.length) return false
  return a.part.every(([key, value], i) => key === b.part[i]?.[0] && value === b.part[i]?.[1])
}

/** Some of the values of a map or of an array. */
const Fields = memo(function Fields({ part, path, name, level }: PartProps) {
  return (
    <div className="part">
      {part.map(([key, value]) => {
        const whole = typeof key === 'number' ? `${name}[${key}]` : name ? `${name}.${key}` : key
        return <FieldEditor key={key} above={path} at={key} name={whole} value={value} level={level} />
      })}
    </div>
  )
}, samePart)

type ValuesProps = { value: Value & { type: 'array' | 'map' }; path: ValuePath; name: string; level: number }

/** The values of a map or of an array. The fields of the document itself have the empty path, and the first level. */
export function ValuesEditor({ value, ...props }: ValuesProps) {
  return value.type === 'array' ? <ArrayControl items={value.value} {...props} /> : <FieldsEditor fields={value.value} {...props} />
}

type ListProps = { path: ValuePath; name: string; level: number }

function ArrayControl({ items, path, name, level }: ListProps & { items: Value[] }) {
  const { t } = useText()
  const { edit, disabled } = useEdit()
  const [shown, setShown] = useState(STEP)
  return (
    <div className={level > 1 ? 'nested' : 'stack'}>
      {parted(items.slice(0, shown).map((item, i): Entry => [i, item])).map((part, i) => (
        <Fields key={i} part={part} path={path} name={name} level={level} />
      ))}
      <ShowMore left={items.length - shown} more={() => setShown(shown + STEP)} />
      {!disabled && (
        <div>
          <button
            type="button"
            className="button plain"
            onClick={() => {
              edit([...path, items.length], emptyOf(items.at(-1)?.type ?? 'string'))
              setShown(Math.max(shown, items.length + 1))
            }}
          >
            <Icon name="plus" />
            {t.data.addItem}
          </button>
        </div>
      )}
    </div>
  )
}

function FieldsEditor({ fields, path, name, level }: ListProps & { fields: FieldMap }) {
  const { t } = useText()
  const { edit, disabled } = useEdit()
  const [shown, setShown] = useState(STEP)
  const entries = Object.entries(fields)
  return (
    <div className={level > 1 ? 'nested' : 'stack'}>
      {parted(entries.slice(0, shown)).map((part, i) => (
        <Fields key={i} part={part} path={path} name={name} level={level} />
      ))}
      <ShowMore left={entries.length - shown} more={() => setShown(shown + STEP)} />
      {!disabled && (
        <AddField
          label={path.length > 0 ? t.data.addKey : t.data.addField}
          taken={(key) => Object.hasOwn(fields, key)}
          add={(key) => {
            edit([...path, key], { type: 'string', value: '' })
            setShown(Math.max(shown, entries.length + 1))
          }}
        />
      )}
    </div>
  )
}

function AddField({ label, taken, add }: { label: string; taken: (name: string) => boolean; add: (name: string) => void }) {
  const { t } = useText()
  const [name, setName] = useState<string | null>(null)
  if (name === null) {
    return (
      <div>
        <button type="button" className="button plain" onClick={() => setName('')}>
          <Icon name="plus" />
          {label}
        </button>
      </div>
    )
  }
  const bad = taken(name)
  const finish = () => {
    if (bad || name === '') return
    add(name)
    setName(null)
  }
  return (
    <div className="row">
      <input
        className="mono grow"
        value={name}
        autoFocus
        aria-label={t.data.fieldName}
        aria-invalid={bad}
        placeholder={t.data.fieldName}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish()
          else if (event.key === 'Escape') setName(null)
          else return
          event.preventDefault()
        }}
      />
      <button type="button" className="button" disabled={bad || name === ''} onClick={finish}>
        {label}
      </button>
      {bad && (
        <p className="bad small" role="alert">
          {t.data.nameTaken}
        </p>
      )}
    </div>
  )
}
