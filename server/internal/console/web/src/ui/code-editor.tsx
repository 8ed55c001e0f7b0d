import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  type Language,
  type LanguageSupport,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)', fontSize: 'var(--small)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--bg-side)', color: 'var(--text-soft)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--bg-selected)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--bg-raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-panels': { backgroundColor: 'var(--bg-side)', color: 'var(--text)' },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--key)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: tags.propertyName, color: 'var(--text)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.typeName], color: 'var(--accent)' },
])

type Props = {
  text: string
  language: Language | LanguageSupport
  label: string
  readOnly?: boolean
  /** Called with the text after each change. */
  changed?: (text: string) => void
  /** Called with the text after a pause in typing; returns its errors. */
  check?: (text: string) => Promise<Diagnostic[]>
  /** Called with the text after each change; returns its errors. */
  checkNow?: (text: string) => Diagnostic[]
  extra?: Extension
  /** The line to show, from 1. */
  line?: number
}

const CHECK_MS = 150

/** Replaces the text of an editor by another one. Only the part that differs changes, so that the cursor stays. */
function showText(view: EditorView, text: string): void {
  const now = view.state.doc.toString()
  if (now === text) return
  const most = Math.min(now.length, text.length)
  let from = 0
  while (from < most && now[from] === text[from]) from++
  let same = 0
  while (same < most - from && now[now.length - 1 - same] === text[text.length - 1 - same]) same++
  view.dispatch({ changes: { from, to: now.length - same, insert: text.slice(from, text.length - same) } })
}
const NO_EXTRA: Extension = []

/** An editor of code. It is in a shadow root, where its styles are constructed style sheets, which the content security policy allows. */
export function CodeEditor({ text, language, label, readOnly = false, changed, check, checkNow, extra = NO_EXTRA, line }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const latest = useRef({ changed, check, checkNow, text })
  latest.current = { changed, check, checkNow, text }
  useEffect(() => {
    const element = host.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    let timer: ReturnType<typeof setTimeout> | undefined
    let turn = 0
    /** Whether errors are shown. */
    let marked = false
    const show = async (view: EditorView, found: Promise<Diagnostic[]> | Diagnostic[]) => {
      const mine = ++turn
      const all = await found
      if (mine !== turn || (all.length === 0 && !marked)) return
      marked = all.length > 0
      view.dispatch(setDiagnostics(view.state, all))
    }
    const listener = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return
      const now = update.state.doc.toString()
      latest.current.changed?.(now)
      if (latest.current.checkNow) void show(update.view, latest.current.checkNow(now))
      clearTimeout(timer)
      if (latest.current.check) timer = setTimeout(() => void show(update.view, latest.current.check?.(now) ?? []), CHECK_MS)
    })
    const extensions: Extension = [
      lineNumbers(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      indentOnInput(),
      bracketMatching(),
      lintGutter(),
      syntaxHighlighting(COLOURS),
      // Escape, then Tab leaves the editor.
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, indentWithTab]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorState.readOnly.of(readOnly),
      THEME,
      language,
      listener,
      extra,
    ]
    const view = new EditorView({ state: EditorState.create({ doc: latest.current.text, extensions }), parent: root, root })
    editor.current = view
    if (latest.current.check) void show(view, latest.current.check(latest.current.text))
    return () => {
      clearTimeout(timer)
      turn = -1
      view.destroy()
    }
    // A new language or extension creates a new editor, so callers pass the same values.
  }, [language, label, readOnly, extra])
  useEffect(() => {
    if (editor.current) showText(editor.current, text)
  }, [text])
  useEffect(() => {
    const view = editor.current
    if (!view || !line || line > view.state.doc.lines) return
    const { from } = view.state.doc.line(line)
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  }, [line, text, language, label, readOnly, extra])
  return <div className="code-host" ref={host} />
}
