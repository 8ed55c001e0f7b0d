/** The field that people never see and robots fill (P-13). */
export const TRAP = 'sitio_web'

/** How long after the page began a form may be sent, in milliseconds. */
export const LEAST_WAIT = 2000

/** What is known of who sends a form. */
export type Hints = {
  /** What the trap holds. */
  trap: string
  /** When the form was sent: milliseconds since the page began, by the browser's own clock. */
  moment: number
  /** Whether a person typed, pasted or picked something in it. */
  typed: boolean
}

/**
 * Whether a form was sent by a robot, which is then shown a success although nothing is stored. Speed alone is no proof: browsers fill
 * forms for hurried people, whose form waits until the minimum has passed instead. A form filled by a script is one.
 */
export function isRobot({ trap, moment, typed }: Hints): boolean {
  return trap !== '' || (moment < LEAST_WAIT && !typed)
}
