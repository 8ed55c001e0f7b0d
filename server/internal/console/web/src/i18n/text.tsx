import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { ago, type Ago } from '../lib/ago'
import { readSetting, writeSetting } from '../lib/settings'
import { en, type Messages } from './en'
import { es } from './es'

export type Language = 'en' | 'es'

type Texts = {
  t: Messages
  language: Language
  setLanguage: (language: Language) => void
  number: (n: number) => string
  time: (iso: string) => string
  /** A time in short form, without the date if it is today. */
  shortTime: (iso: string) => string
  /** The time since a moment in words, such as “3 min ago”; null beyond 30 days. now is in milliseconds. */
  ago: (iso: string, now: number) => string | null
}

const TextContext = createContext<Texts | null>(null)

/** Formats with a formatter that is created on first use. Creating one takes milliseconds, which would delay the first rendering. */
function later<T>(make: () => { format: (value: T) => string }): (value: T) => string {
  let made: ReturnType<typeof make> | undefined
  return (value) => {
    made ??= make()
    return made.format(value)
  }
}

/** Smaller whole numbers have no separators in any of the languages. */
const PLAIN = 1000

function preferred(): Language {
  const stored = readSetting('language')
  if (stored === 'en' || stored === 'es') return stored
  return navigator.language.startsWith('es') ? 'es' : 'en'
}

export function TextProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const texts = useMemo(() => {
    const numbers = later<number>(() => new Intl.NumberFormat(language))
    const times = later<Date>(() => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }))
    const today = later<Date>(() => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }))
    const before = later<Date>(() => new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' }))
    const since = later<Ago>(() => {
      const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
      return { format: ([n, unit]) => words.format(n, unit) }
    })
    return {
      t: language === 'es' ? es : en,
      language,
      setLanguage: (to: Language) => {
        writeSetting('language', to)
        setLanguage(to)
      },
      number: (n: number) => (Number.isInteger(n) && n >= 0 && n < PLAIN ? String(n) : numbers(n)),
      time: (iso: string) => (iso ? times(new Date(iso)) : ''),
      shortTime: (iso: string) => {
        if (!iso) return ''
        const at = new Date(iso)
        return at.toDateString() === new Date().toDateString() ? today(at) : before(at)
      },
      ago: (iso: string, now: number) => {
        const passed = ago(Date.parse(iso), now)
        return passed && since(passed)
      },
    }
  }, [language])
  return <TextContext value={texts}>{children}</TextContext>
}

export function useText(): Texts {
  const texts = useContext(TextContext)
  if (!texts) throw new Error('useText outside TextProvider')
  return texts
}
