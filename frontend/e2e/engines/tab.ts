/** The arguments and results of functions of the page: JSON. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** A window of a browser, with the real pointer and keyboard. */
export type Tab = {
  open: (url: string) => Promise<void>
  /** Runs a script in the page and resolves to the value of its `return`; args are its `arguments`. */
  run: (script: string, args?: Json[]) => Promise<unknown>
  /** Presses the pointer at a place of the viewport, in CSS pixels. */
  click: (x: number, y: number) => Promise<void>
  /** Types a text into what has the focus. */
  type: (text: string) => Promise<void>
  /** Presses a key by its name; with Control held if control is set. */
  press: (key: Key, control?: boolean) => Promise<void>
  /** Gives the page this viewport, in CSS pixels. */
  resize: (size: { width: number; height: number }) => Promise<void>
  close: () => Promise<void>
}

export type Key = 'a' | 'Backspace' | 'Enter' | 'Escape' | 'Tab' | 'ArrowRight'

/** An engine that may be on this machine. */
export type Engine = {
  name: string
  /** The programs that this machine lacks; empty if there are none. */
  missing: string
  start: () => Promise<Tab>
}
