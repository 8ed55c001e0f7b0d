/** The name of the field that people never see and robots fill in (P-13). */
export const TRAP = 'sitio_web'

/** The minimum time from the start of the page until a form is sent, in milliseconds. */
export const LEAST_WAIT = 2000

/** Signals about the sender of a form. */
export type Hints = {
  /** The value of the trap field. */
  trap: string
  /** When the form was sent: milliseconds since the start of the page, by the browser's clock. */
  moment: number
  /** Whether a person typed, pasted or selected something in it. */
  typed: boolean
}

/**
 * Whether a robot sent a form. The robot then receives a success although nothing is stored. Speed alone does not
 * decide, because browsers fill in forms: a fast form waits until the minimum time has passed. A form filled in by a
 * script is sent by a robot.
 */
export function isRobot({ trap, moment, typed }: Hints): boolean {
  return trap !== '' || (moment < LEAST_WAIT && !typed)
}
