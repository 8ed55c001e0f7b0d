import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { loadCollections } from '../api/collections'
import { useText } from '../i18n/text'
import { pagePath, type Scope } from '../lib/scope'
import { setTheme, THEMES } from '../lib/theme'
import type { PageId } from '../pages/pages'
import { Dialog } from '../ui/dialog'

type Command = { label: string; hint: string; to: string; act?: () => void }

/** The command palette: opens pages, collections and any path by a few letters. */
export function Palette({ pages, scope, close }: { pages: PageId[]; scope: Scope; close: () => void }) {
  const { t, setLanguage } = useText()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  /** The ids of the collections; null until they are loaded. */
  const [collections, setCollections] = useState<string[] | null>(null)
  /** Set if Enter was pressed before the collections were loaded and the text may match one of them. */
  const [waiting, setWaiting] = useState(false)
  const navigate = useNavigate()
  const list = useId()
  const chosen = useRef<HTMLLIElement>(null)
  const key = pagePath('data', scope)
  useEffect(() => {
    const control = new AbortController()
    loadCollections(scope, '', false, control.signal).then(
      (found) => setCollections(found.map((collection) => collection.id)),
      () => {
        if (!control.signal.aborted) setCollections([])
      },
    )
    return () => control.abort()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key represents the scope
  }, [key])
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function.
    chosen.current?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const commands = find(text, [
    ...pages.map((id) => ({ label: t.pages[id], hint: '', to: pagePath(id, scope) })),
    ...THEMES.map((theme) => ({
      label: t.shell.themeIs(t.shell.themes[theme]),
      hint: '',
      to: `theme ${theme}`,
      act: () => setTheme(theme),
    })),
    { label: t.shell.languageIs('English'), hint: '', to: 'language en', act: () => setLanguage('en') },
    { label: t.shell.languageIs('Español'), hint: '', to: 'language es', act: () => setLanguage('es') },
    ...(collections ?? []).map((id) => ({ label: id, hint: t.pages.data, to: pagePath('data', scope, id) })),
  ])
  if (text.includes('/')) {
    const path = text.replace(/^\/+|\/+$/g, '')
    if (path) commands.unshift({ label: t.shell.openPath(path), hint: t.pages.data, to: pagePath('data', scope, path) })
  }
  const go = (command: Command | undefined) => {
    if (!command) return
    close()
    if (command.act) command.act()
    else void navigate(command.to)
  }
  const latest = useRef({ go, command: commands[at] })
  latest.current = { go, command: commands[at] }
  useEffect(() => {
    if (!waiting || !collections) return
    setWaiting(false)
    latest.current.go(latest.current.command)
  }, [waiting, collections])
  const enter = () => {
    // A collection precedes a command that does not begin with the text, so that the result does not depend on loading times.
    if (collections || at > 0 || text.includes('/') || begins(text, commands[at])) go(commands[at])
    else setWaiting(true)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, commands.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter') enter()
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t.shell.palette} close={close} className="palette">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={commands.length > 0 ? `${list}-${at}` : undefined}
        aria-label={t.shell.paletteHint}
        placeholder={t.shell.paletteHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
          setWaiting(false)
        }}
        onKeyDown={onKey}
        data-first
      />
      <ul id={list} role="listbox" aria-label={t.shell.palette}>
        {commands.map((command, i) => (
          <li
            key={command.to}
            id={`${list}-${i}`}
            ref={i === at ? chosen : null}
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            onClick={() => go(command)}
            onKeyDown={onKey}
          >
            <span className="clip">{command.label}</span>
            <span className="soft small">{command.hint}</span>
          </li>
        ))}
      </ul>
      {(waiting || commands.length === 0) && (
        <p className="soft" role="status">
          {collections ? t.shell.paletteNone : t.common.loading}
        </p>
      )}
    </Dialog>
  )
}

/** A text in lower case without blanks, for the comparison with labels. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/\s/g, '')

/** Reports whether a command's label begins with a text. */
function begins(text: string, command: Command | undefined): boolean {
  return command?.label.toLowerCase().startsWith(plain(text)) ?? false
}

/** The commands whose label contains the letters of the text in order; those that begin with it come first. */
function find(text: string, commands: Command[]): Command[] {
  const wanted = plain(text)
  const fits = (label: string) => {
    let from = 0
    for (const letter of wanted) {
      from = label.indexOf(letter, from) + 1
      if (from === 0) return false
    }
    return true
  }
  const rank = (label: string) => (label.startsWith(wanted) ? 0 : label.includes(wanted) ? 1 : 2)
  const ranks: Command[][] = [[], [], []]
  for (const command of commands) {
    const label = command.label.toLowerCase()
    if (fits(label)) ranks[rank(label)]?.push(command)
  }
  return ranks.flat().slice(0, 50)
}
